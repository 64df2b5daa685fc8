//! Who else uses a GPU, and whether it is divided.

use std::collections::BTreeSet;

use trueline_core::{Finding, Known, Need, Scope, Severity};

use super::checks::{GPU_FOREIGN_PROCESS, GPU_SHARED_MIG};
use super::known::text;
use super::seen::{Gpu, Seen};
use super::state::{GpuProcess, GpuProcessKind};
use super::verdict::Verdict;

/// The process that shares a GPU among others.
const MPS_SERVER: &str = "nvidia-cuda-mps-server";

/// Judges whether each GPU is divided into slices or shared through MPS.
pub(super) fn check_shared(seen: &Seen<'_>, about: &Scope) -> Vec<Verdict> {
    let judge = |gpu: &Gpu<'_>| {
        let Some(state) = gpu.state() else { return Verdict::Missing(Need::GpuReadings) };
        let found = |how: &str| {
            let message = format!("{} {how}", seen.label(gpu));
            let finding = Finding::new(&GPU_SHARED_MIG, about.clone(), message);
            Verdict::found(finding.with("gpu", gpu.index))
        };
        if state.mig.value() == Some(true) {
            return found("divided into slices (MIG)");
        }
        let listed = processes(gpu);
        if listed.is_some_and(|all| all.iter().any(is_mps)) {
            return found("shared among processes through MPS");
        }
        match state.mig.why() {
            None => Verdict::Clear,
            // A board that cannot be divided, and a list that shows no MPS.
            Some(_) if listed.is_some() => Verdict::Clear,
            why => Verdict::without(why),
        }
    };
    seen.gpus.iter().map(judge).collect()
}

/// Judges whether processes of others use each GPU.
///
/// # Shape
/// The driver lists the ids of the host. In a container they are other processes' ids, or the list
/// is empty: where none of ours is on it, whose they are is not known.
pub(super) fn check_foreign(
    seen: &Seen<'_>,
    about: &Scope,
    own: &Known<BTreeSet<u32>>,
) -> Vec<Verdict> {
    let Known::Is { value: own, .. } = own else {
        return seen.gpus.iter().map(|_| Verdict::Missing(Need::ServerProcess)).collect();
    };
    let ours = |process: &GpuProcess| own.contains(&process.pid);
    let any_ours = seen.gpus.iter().filter_map(processes).flatten().any(ours);
    let judge = |gpu: &Gpu<'_>| {
        let Some(listed) = processes(gpu) else {
            let why = gpu.state().and_then(|state| state.processes.why());
            return Verdict::without(why);
        };
        if !any_ours {
            return Verdict::Missing(Need::HostReading);
        }
        let foreign: Vec<&GpuProcess> =
            listed.iter().filter(|process| !ours(process) && !is_mps_server(process)).collect();
        let computing = foreign.iter().any(|process| process.kind != GpuProcessKind::Graphics);
        let Some(first) = foreign.iter().find(|p| {
            // Those that compute are named before those that draw.
            !computing || p.kind != GpuProcessKind::Graphics
        }) else {
            return Verdict::Clear;
        };
        let name = text(&first.name).unwrap_or("of unknown name");
        let does = if computing { "computes" } else { "draws" };
        let more = match foreign.len() - 1 {
            0 => String::new(),
            n => format!(" (and {n} more)"),
        };
        let message = format!("process {} ({name}){more} {does} on {}", first.pid, seen.label(gpu));
        let mut finding = Finding::new(&GPU_FOREIGN_PROCESS, about.clone(), message)
            .at(if computing { Severity::Error } else { Severity::Warning })
            .with("gpu", gpu.index)
            .with("processes", foreign.len())
            .with("pid", u64::from(first.pid));
        let memory: u64 = foreign.iter().filter_map(|p| p.memory_bytes.value()).sum();
        if memory > 0 {
            finding = finding.with("memory_bytes", memory);
        }
        Verdict::found(finding)
    };
    seen.gpus.iter().map(judge).collect()
}

/// The processes on a GPU: those after the run, else those before.
fn processes<'a>(gpu: &Gpu<'a>) -> Option<&'a Vec<GpuProcess>> {
    let of = |state: Option<&'a super::state::GpuState>| match state.map(|s| &s.processes) {
        Some(Known::Is { value, .. }) => Some(value),
        _ => None,
    };
    of(gpu.after).or(of(gpu.before))
}

fn is_mps(process: &GpuProcess) -> bool {
    process.kind == GpuProcessKind::Mps || is_mps_server(process)
}

fn is_mps_server(process: &GpuProcess) -> bool {
    text(&process.name).is_some_and(|name| name.ends_with(MPS_SERVER))
}
