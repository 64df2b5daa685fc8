//! Memory of the machine: how much, and what was moved to and from disk.

use serde::{Deserialize, Serialize};
use trueline_core::Known;

use super::reading::{bytes_after, number_after, parsed, part};
use crate::root::Root;

/// Memory of the machine.
///
/// # Shape
/// Counts are since boot.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Memory {
    /// All of it.
    pub total_bytes: Known<u64>,
    /// What programs could still have without swapping.
    pub available_bytes: Known<u64>,
    /// Room for swapping; zero where there is none.
    pub swap_total_bytes: Known<u64>,
    /// What is left of it.
    pub swap_free_bytes: Known<u64>,
    /// Pages read back from swap.
    pub swapped_in_pages: Known<u64>,
    /// Pages written to swap.
    pub swapped_out_pages: Known<u64>,
    /// Accesses that waited for a disk.
    pub major_faults: Known<u64>,
    /// Allocations that had to free memory first.
    pub allocation_stalls: Known<u64>,
    /// Processes ended for want of memory.
    pub oom_kills: Known<u64>,
    /// Large pages without being asked for: `always`, `madvise` or `never`.
    pub huge_pages: Known<String>,
}

impl Memory {
    pub(super) fn read(root: &Root) -> Self {
        let info = root.text("proc/meminfo");
        let stat = root.text("proc/vmstat");
        let bytes = |key: &'static str| part(&info, |text| bytes_after(text, key));
        let count = |key: &'static str| part(&stat, |text| number_after(text, key));
        let huge = root.text("sys/kernel/mm/transparent_hugepage/enabled");
        Self {
            total_bytes: bytes("MemTotal"),
            available_bytes: bytes("MemAvailable"),
            swap_total_bytes: bytes("SwapTotal"),
            swap_free_bytes: bytes("SwapFree"),
            swapped_in_pages: count("pswpin"),
            swapped_out_pages: count("pswpout"),
            major_faults: count("pgmajfault"),
            allocation_stalls: part(&stat, allocation_stalls),
            oom_kills: count("oom_kill"),
            huge_pages: parsed(huge, chosen),
        }
    }
}

/// The sum over zones.
fn allocation_stalls(text: &str) -> Option<u64> {
    let zones = text.lines().filter(|line| line.starts_with("allocstall"));
    let counts = zones.map(|line| line.split_once(' ')?.1.trim().parse::<u64>().ok());
    counts.reduce(|a, b| a?.checked_add(b?))?
}

/// The word in brackets: `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    let (word, _) = text.split_once('[')?.1.split_once(']')?;
    Some(word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_add_up_over_zones() {
        assert_eq!(allocation_stalls("allocstall_dma 0\nallocstall_normal 7\npgfault 3"), Some(7));
        assert_eq!(allocation_stalls("pgfault 3"), None);
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
    }
}
