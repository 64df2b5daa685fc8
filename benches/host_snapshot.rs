//! Taking a host's state beside reading the same files and doing nothing with them, and one look of a
//! watch.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rustix::time::{ClockId, clock_gettime};
use trueline::host::processes::Meter;
use trueline::host::{Root, Snapshot, Wanted, capture};

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

fn snapshot(c: &mut Criterion) {
    let tree = std::env::temp_dir().join(format!("trueline-bench-{}", std::process::id()));
    let wanted = Wanted { client: vec![std::process::id()], ..Wanted::default() };
    capture(&tree, &wanted).expect("the folder for temporary files can be written");
    let captured = files(&tree);
    let live: Vec<PathBuf> = captured
        .iter()
        .filter_map(|path| Some(Path::new("/").join(path.strip_prefix(&tree).ok()?)))
        .filter(|path| path.is_file())
        .collect();
    // One file that is gone, as those of processes that ended are, is left out.
    let read = |paths: &[PathBuf]| -> usize {
        paths.iter().filter_map(|path| fs::read(path).ok()).map(|bytes| bytes.len()).sum()
    };
    let mut group = c.benchmark_group("host_snapshot");
    group.throughput(Throughput::Elements(live.len() as u64));
    group.bench_function("read_live_files", |b| b.iter(|| read(black_box(&live))));
    group.bench_function("live", |b| b.iter(|| Snapshot::take(&Root::live(), &wanted)));
    group.throughput(Throughput::Elements(captured.len() as u64));
    group.bench_function("read_captured_files", |b| b.iter(|| read(black_box(&captured))));
    let root = Root::at(&tree);
    group.bench_function("captured", |b| b.iter(|| Snapshot::take(&root, &wanted)));
    group.finish();

    // Looks that follow at once: what is read every few seconds only is left out.
    let root = Root::live();
    let mut meter = Meter::new(&root, &wanted);
    c.bench_function("host_watch/tick", |b| b.iter(|| meter.tick(&root)));
    let _ = fs::remove_dir_all(&tree);
}

/// The processor time that this thread has taken.
fn ran() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).expect("below a second"))
}

/// Does something so many times, each after half a second asleep as a watch is, and says what
/// processor time that took, waking included.
fn after_sleep(times: u64, mut act: impl FnMut()) -> Duration {
    let before = ran();
    for _ in 0..times {
        thread::sleep(Duration::from_millis(500));
        act();
    }
    ran().saturating_sub(before)
}

/// One look of a watch whose caches are cold, in processor time: 2.5 ms are 0.5 % of a core. Beside
/// it the least that any watcher does: wake, and read two files.
fn watch(c: &mut Criterion) {
    let wanted = Wanted { client: vec![std::process::id()], ..Wanted::default() };
    let root = Root::live();
    let mut meter = Meter::new(&root, &wanted);
    let mut group = c.benchmark_group("host_watch_asleep");
    group.sample_size(10).warm_up_time(Duration::from_secs(1));
    group.measurement_time(Duration::from_secs(30));
    group.bench_function("wake_and_read_two_files", |b| {
        b.iter_custom(|times| {
            after_sleep(times, || {
                black_box((fs::read("/proc/stat").ok(), fs::read("/proc/loadavg").ok()));
            })
        });
    });
    group.bench_function("look", |b| {
        b.iter_custom(|times| {
            after_sleep(times, || {
                black_box(meter.tick(&root));
            })
        });
    });
    group.finish();
}

criterion_group!(benches, snapshot, watch);
criterion_main!(benches);
