//! What a host record reads, as a few lines for people.

use std::time::Duration;

use trueline_core::Known;
use trueline_core::number::{percent, plain, short};
use trueline_host::gpu::GpuLoad;
use trueline_host::processes::{Process, RunTime};
use trueline_host::{CpuTick, GpuSample, HostRecord, ProcessRole, Snapshot};

/// How many processes of a family are named.
const NAMED: usize = 2;

/// One line for each part of a host; a part that was not read has none.
pub(crate) fn host_lines(record: &HostRecord) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |name: &str, text: Option<String>| {
        lines.extend(text.map(|text| format!("{name:<10}{text}")));
    };
    line("Machine", machine(record));
    line("Watched", watched(record));
    line("Client", family(record, ProcessRole::Client));
    line("Server", family(record, ProcessRole::Server));
    line("Others", others(record));
    line("Clock", clock(record));
    line("GPU", gpus(record));
    lines
}

fn machine(record: &HostRecord) -> Option<String> {
    let value = |key| record.conditions.get(key).filter(|value| *value != "none");
    let cpus = value("cpus").map(|n| format!("{n} processors"));
    let quota = value("cpu_quota").map(|quota| format!("quota {quota}"));
    let parts = [cpus.as_deref(), value("cpu_model"), value("boundary"), quota.as_deref()];
    joined(parts.into_iter().flatten().map(str::to_owned))
}

fn watched(record: &HostRecord) -> Option<String> {
    let clocks = |state: &Option<Snapshot>| state.as_ref()?.clocks.monotonic.value();
    let took = clocks(&record.after)?.checked_sub(clocks(&record.before)?)?;
    let looks = record.ticks.len();
    Some(format!("{} s, {looks} looks", short(took.as_secs_f64(), 3)))
}

/// The processes of client or server, the least nice of them, and how long they waited.
fn family(record: &HostRecord, role: ProcessRole) -> Option<String> {
    let ends = [&record.before, &record.after].into_iter().flatten();
    let at_ends = ends.flat_map(|state| state.processes.of(role));
    let between = record.ticks.iter().flat_map(|tick| &tick.cpu.processes);
    let mut seen: Vec<&Process> = Vec::new();
    for process in at_ends.chain(between).filter(|process| process.role == role) {
        if !seen.iter().any(|p| (p.pid, p.start_ticks) == (process.pid, process.start_ticks)) {
            seen.push(process);
        }
    }
    let names: Vec<String> =
        seen.iter().take(NAMED).map(|p| format!("{} ({})", p.name, p.pid)).collect();
    let more = seen.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let nice = seen.iter().map(|process| process.nice).max()?;
    let delays = record.ticks.iter().filter_map(|tick| match role {
        ProcessRole::Client => tick.cpu.client_delay.value(),
        _ => tick.cpu.server_delay.value(),
    });
    let waited = waited(delays)
        .map(|share| format!("waited {} of the time that it wanted a processor", percent(share)));
    joined(
        [Some(names.join(", ") + &more), Some(format!("nice {nice}")), waited]
            .into_iter()
            .flatten(),
    )
}

fn waited(delays: impl Iterator<Item = RunTime>) -> Option<f64> {
    let (mut ran, mut waited) = (Duration::ZERO, Duration::ZERO);
    for time in delays {
        ran = ran.saturating_add(Duration::from_nanos(time.ran_ns));
        waited = waited.saturating_add(Duration::from_nanos(time.waited_ns));
    }
    let both = ran.saturating_add(waited).as_secs_f64();
    (both > 0.0).then(|| waited.as_secs_f64() / both)
}

fn others(record: &HostRecord) -> Option<String> {
    let mean = |value: fn(&CpuTick) -> &Known<f64>| {
        let known = record
            .ticks
            .iter()
            .filter_map(|tick| Some((value(&tick.cpu).value()?, tick.cpu.took.as_secs_f64())));
        let (sum, took) =
            known.fold((0.0, 0.0), |(sum, all), (x, took)| (sum + x * took, all + took));
        (took > 0.0).then(|| sum / took)
    };
    let foreign = mean(|cpu| &cpu.foreign_cores)?;
    let cpus = record.ticks.iter().map(|tick| tick.cpu.cpus).max()?;
    let busiest = record.ticks.iter().flat_map(|tick| &tick.cpu.who).max_by(|a, b| {
        let time = |busy: &trueline_host::processes::Busy| busy.cores * busy.over.as_secs_f64();
        time(a).total_cmp(&time(b))
    });
    let busiest = busiest.map(|busy| format!("above all {} ({})", busy.name, busy.pid));
    let stolen = mean(|cpu| &cpu.steal_cores)
        .map(|stolen| format!("{} stolen by the machine below", short(stolen, 2)));
    let kept = format!("{} of {cpus} processors busy on average", short(foreign, 2));
    joined([Some(kept), busiest, stolen].into_iter().flatten())
}

fn clock(record: &HostRecord) -> Option<String> {
    let value = |key, name: &str| {
        let value = record.conditions.get(key).filter(|value| *value != "none")?;
        Some(format!("{name} {value}"))
    };
    let measured = record.cpu.as_ref().and_then(|cpu| cpu.clock.mhz.value());
    let measured = measured.map(|mhz| format!("measured {} MHz", short(mhz, 4)));
    let parts = [measured, value("governor", "governor"), value("turbo", "turbo")];
    joined(parts.into_iter().flatten())
}

fn gpus(record: &HostRecord) -> Option<String> {
    let logged = record.gpu_log.iter().flat_map(|log| &log.moments);
    let ticks = record.ticks.iter().flat_map(|tick| &tick.gpus);
    let samples: Vec<&GpuSample> = ticks.chain(logged.flat_map(|m| &m.samples)).collect();
    let busy = samples.iter().filter(|sample| matches!(sample.load, GpuLoad::Busy(_))).count();
    let seen = (!samples.is_empty()).then(|| format!("{busy} of {} samples busy", samples.len()));
    let clock = record.conditions.get("gpu_clock_busy_mhz").and_then(|mhz| mhz.parse().ok());
    let clock = clock.map(|mhz: f64| format!("SM clock {} MHz when busy", plain(mhz)));
    let name = record.conditions.get("gpu").map(str::to_owned);
    joined([name, seen, clock].into_iter().flatten())
}

fn joined(parts: impl Iterator<Item = String>) -> Option<String> {
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
