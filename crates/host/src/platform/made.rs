//! Trees of `/proc` and `/sys` made up for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use trueline_core::{By, CheckOutcome, Known, Outcomes, Scope, Severity, Thresholds, WallTime};

use super::placement::Placement;
use super::{Platform, check};
use crate::clocks::Clocks;
use crate::judge::View;
use crate::processes::ProcessRole;
use crate::record::HostRecord;
use crate::root::Root;
use crate::snapshot::{Snapshot, Wanted};

/// A folder that holds a tree, removed when it is dropped.
pub(super) struct Tree(PathBuf);

impl Tree {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("trueline-platform-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let to = self.0.join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, text).unwrap();
    }

    /// Several files: `path: text`, a line each.
    pub(super) fn with(self, files: &[(&str, &str)]) -> Self {
        for (path, text) in files {
            self.write(path, text);
        }
        self
    }

    pub(super) fn folder(&self) -> &Path {
        &self.0
    }

    pub(super) fn root(&self) -> Root {
        Root::at(&self.0)
    }

    /// The state that the tree shows, with some of its processes looked at.
    pub(super) fn snapshot(&self, at_s: u64, processes: &[(u32, ProcessRole)]) -> Snapshot {
        snapshot(&self.root(), at_s, processes)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The state that a tree shows, so many seconds after boot.
pub(super) fn snapshot(root: &Root, at_s: u64, processes: &[(u32, ProcessRole)]) -> Snapshot {
    let mut snapshot = Snapshot::take(root, &Wanted::default());
    let mut placements: Vec<Placement> =
        processes.iter().map(|(pid, party)| Placement::of(root, *pid, *party)).collect();
    placements.push(Placement::watcher(root));
    if !snapshot.platform.macos.is_known() {
        snapshot.platform = Platform::read_with(root, &placements);
    }
    snapshot.clocks = clocks(at_s);
    snapshot
}

/// All clocks so many seconds on.
pub(super) fn clocks(at_s: u64) -> Clocks {
    let since = Known::is(Duration::from_secs(at_s), By::Measured);
    let wall = i64::try_from(at_s).unwrap() * 1_000_000_000 + 1_700_000_000_000_000_000;
    let wall = Known::is(WallTime::from_nanos(wall), By::Measured);
    Clocks { wall, monotonic: since, since_boot: since }
}

/// What a check says of a stretch.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    Found(Severity, String),
    Clear,
    NotObserved,
    /// More or fewer than one outcome.
    Wrong(usize),
}

pub(super) fn record(before: Option<Snapshot>, after: Option<Snapshot>) -> HostRecord {
    HostRecord { before, after, ..HostRecord::default() }
}

pub(super) fn outcomes(record: &HostRecord) -> Outcomes {
    let (about, thresholds) = (Scope::default(), Thresholds::default());
    let mut outcomes = Outcomes::default();
    let view = View { record, about: &about, thresholds: &thresholds };
    check(&view, &mut outcomes);
    crate::changed::check(&view, &mut outcomes);
    outcomes
}

/// What one check says of a record.
pub(super) fn said(record: &HostRecord, code: &str) -> Said {
    let mut all = Vec::new();
    for outcome in outcomes(record).iter() {
        match outcome {
            CheckOutcome::Found(found) if found.code == code => {
                all.push(Said::Found(found.severity, found.message.clone()));
            }
            CheckOutcome::Clear { code: known, .. } if *known == code => all.push(Said::Clear),
            CheckOutcome::NotObserved { code: known, .. } if *known == code => {
                all.push(Said::NotObserved);
            }
            _ => {}
        }
    }
    let count = all.len();
    if count == 1 { all.remove(0) } else { Said::Wrong(count) }
}

/// What one check says of a stretch between two states.
pub(super) fn between(before: &Snapshot, after: &Snapshot, code: &str) -> Said {
    said(&record(Some(before.clone()), Some(after.clone())), code)
}

/// What one check says of one moment.
pub(super) fn at_once(state: &Snapshot, code: &str) -> Said {
    said(&record(Some(state.clone()), None), code)
}
