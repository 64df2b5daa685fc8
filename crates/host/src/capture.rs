//! Captured trees: what the readers read of a machine, as files that replay elsewhere.

use std::path::Path;

use crate::root::Root;
use crate::snapshot::{Snapshot, Wanted};

/// Where a tree keeps which processes it was taken for.
const WANTED: &str = "trueline/wanted.json";

/// Writes below a folder what a snapshot reads, and returns the snapshot.
///
/// # Shape
/// `proc/…` and `sys/…` as they are on the machine, links as files that hold their target, and
/// `trueline/…` for what comes from calls: clocks, what could not be read, and for which processes.
///
/// # Errors
/// A folder that cannot be written to.
pub fn capture(folder: &Path, wanted: &Wanted) -> Result<Snapshot, std::io::Error> {
    let root = Root::live().copying_to(folder);
    std::fs::create_dir_all(folder)?;
    if let Ok(text) = serde_json::to_string(wanted) {
        root.write_beside(WANTED, &text);
    }
    let snapshot = Snapshot::take(&root, wanted);
    root.finish_copy()?;
    Ok(snapshot)
}

impl Wanted {
    /// The processes that a captured tree was taken for; none where it does not say.
    pub fn captured(root: &Root) -> Self {
        let text = root.text(WANTED).ok();
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn control_groups_and_the_process_that_read_are_captured() {
        let folder = std::env::temp_dir().join(format!("trueline-capture-{}", std::process::id()));
        let own = std::process::id();
        let wanted = Wanted { client: vec![own], ..Wanted::default() };
        let live = capture(&folder, &wanted).unwrap();
        let root = Root::at(&folder);
        let again = Snapshot::take(&root, &Wanted::captured(&root));
        std::fs::remove_dir_all(&folder).unwrap();
        // `/proc/self` is a link, and a folder below which its limits are found.
        let groups = |s: &Snapshot| {
            let chains = s.platform.groups.iter().filter(|group| group.cpu.is_known());
            (s.platform.groups.len(), chains.count())
        };
        assert_eq!(groups(&again), groups(&live));
        let pids = |s: &Snapshot| s.processes.ours.iter().map(|p| p.pid).collect::<Vec<_>>();
        assert_eq!((pids(&again), pids(&live).contains(&own)), (pids(&live), true));
    }
}
