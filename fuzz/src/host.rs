//! What a host is read from: records, logs of GPUs, captured trees.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use trueline::core::{Scope, Thresholds};
use trueline::host::{
    HostRecord, Root, ServerProcess, Snapshot, Wanted, check_host, host_checks, parse_gpu_log,
    parse_host_record,
};

/// A host record: it is judged once by each check at most, and what is written reads the same.
pub fn host_record(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let Ok(record) = parse_host_record(text) else { return false };
    judged(&record);
    let again = record.redacted().to_json();
    parse_host_record(&again).expect("what is written can be read");
    true
}

/// What a loop of `nvidia-smi` wrote.
pub fn gpu_log(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let Ok(log) = parse_gpu_log(text) else { return false };
    judged(&HostRecord::default().with_gpu_log(log));
    true
}

/// A captured tree: paths after `## `, each with the lines of its file. It is read as the state
/// before and after.
pub fn captured_tree(data: &[u8]) -> bool {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name =
        format!("trueline-fuzz-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(name);
    let written = write_tree(&folder, &String::from_utf8_lossy(data));
    if written > 0 {
        let root = Root::at(&folder);
        let wanted = Wanted {
            client: vec![20],
            server: Some(ServerProcess::Port(8000)),
            ..Wanted::default()
        };
        let state = Snapshot::take(&root, &wanted);
        judged(&HostRecord::watched(state.clone(), state, Vec::new()));
    }
    let _ = fs::remove_dir_all(&folder);
    written > 0
}

fn write_tree(folder: &Path, text: &str) -> usize {
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("## "), files.last_mut()) {
            (Some(path), _) => files.push((PathBuf::from(path), String::new())),
            (None, Some((_, file))) => *file += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    let inside = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    let mut written = 0;
    for (path, file) in files.iter().filter(|(path, _)| inside(path)).take(200) {
        let to = folder.join(path);
        let made = to.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok());
        written += usize::from(made && fs::write(to, file).is_ok());
    }
    written
}

/// Each check ends in one way at most, but for what it says of several GPUs or metrics.
fn judged(record: &HostRecord) {
    let outcomes = check_host(record, &Scope::default(), &Thresholds::default());
    for check in host_checks() {
        let told = outcomes.iter().filter(|outcome| outcome.code() == check.code);
        let found = outcomes.findings().filter(|finding| finding.code == check.code).count();
        assert!(told.count() <= found.max(1), "{}", check.code);
    }
}
