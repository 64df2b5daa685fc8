//! Workloads and settings in words.

use trueline_core::number::{count, things};
use trueline_roofline::{Parallel, Speculation, Workload};

use super::device::Setting;

/// What an engine is asked to do.
pub(super) fn workload(workload: &Workload) -> String {
    let sequences = |n: u64| match n {
        1 => "one sequence".to_owned(),
        n => format!("{} sequences at once", count(n)),
    };
    let drafted = match workload.speculation() {
        Speculation::Drafted(n) => {
            format!(", {} a pass", things(usize::try_from(n).unwrap_or(usize::MAX), "draft"))
        }
        Speculation::None | Speculation::Unknown => String::new(),
    };
    match *workload {
        Workload::Prefill { new, cached, .. } if cached.get() == 0 => {
            format!("a prompt of {} new tokens", count(new.get()))
        }
        Workload::Prefill { new, cached, .. } => format!(
            "a prompt of {} new tokens after {} cached ones",
            count(new.get()),
            count(cached.get())
        ),
        Workload::Decode { batch, context, .. } => {
            let context = count(context.get());
            format!("decode of {}, {context} tokens of context{drafted}", sequences(batch))
        }
        Workload::Mixed { isl, cached, osl, concurrency, .. } => {
            let at_once =
                concurrency.map_or(String::new(), |n| format!(", {} in flight", count(n)));
            let cached = match cached.get() {
                0 => String::new(),
                n => format!(", {} of them cached,", count(n)),
            };
            format!(
                "prompts of {}{cached} and replies of {} tokens{at_once}{drafted}",
                count(isl.get()),
                count(osl.get())
            )
        }
    }
}

impl Setting {
    /// Device and model: `2 H100 SXM (tp 2) with llama`.
    pub(super) fn words(&self, parallel: Parallel, replicas: u64) -> String {
        let devices = parallel.devices().saturating_mul(replicas);
        let mut ways = Vec::new();
        for (name, n) in [
            ("tp", u64::from(parallel.tensor())),
            ("pp", u64::from(parallel.pipeline())),
            ("ep", u64::from(parallel.expert())),
            ("replicas", replicas),
        ] {
            if n > 1 {
                ways.push(format!("{name} {n}"));
            }
        }
        let spread =
            if ways.is_empty() { String::new() } else { format!(" ({})", ways.join(", ")) };
        format!("{} {}{spread} with {}", count(devices), self.hardware.name, self.family)
    }
}
