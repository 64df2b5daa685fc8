//! Who else was busy, from listings of all processes that are seconds apart.

use std::collections::BTreeMap;
use std::time::Duration;

use super::charge::charge;
use super::command::parse_command;
use super::family::{Listing, ProcessRole};
use super::meter::{per_second, rounded, sum};
use super::tick::Busy;
use crate::root::Root;

/// All processes are not listed more often.
const LEAST: Duration = Duration::from_secs(5);

/// All processes are listed at least as often.
const MOST: Duration = Duration::from_secs(30);

/// Nobody asks who keeps less busy than this, in cores.
const QUIET: f64 = 0.1;

/// How many are named.
const NAMED: usize = 3;

/// The last listing of all processes, and what was seen since.
#[derive(Debug)]
pub(crate) struct Strangers {
    listing: Listing,
    at: Option<Duration>,
    kernel_cores: f64,
    /// Seconds of processor time that others took since.
    foreign_s: f64,
}

impl Strangers {
    pub(crate) fn new(listing: &Listing, at: Option<Duration>) -> Self {
        Self { listing: listing.clone(), at, kernel_cores: 0.0, foreign_s: 0.0 }
    }

    /// What kernel threads kept busy between the last two listings.
    pub(crate) fn kernel_cores(&self) -> f64 {
        self.kernel_cores
    }

    /// Adds what others took at one tick.
    pub(crate) fn note(&mut self, cores: f64, took: Duration) {
        self.foreign_s += cores * took.as_secs_f64();
    }

    /// Whether it is time to list all processes.
    pub(crate) fn is_due(&self, at: Duration) -> bool {
        let Some(passed) = self.at.and_then(|then| at.checked_sub(then)) else { return true };
        passed >= MOST || (passed >= LEAST && self.foreign_s > QUIET * passed.as_secs_f64())
    }

    /// The busiest others since the last listing.
    pub(crate) fn list(
        &mut self,
        root: &Root,
        at: Duration,
        listing: &Listing,
        roles: &BTreeMap<u32, ProcessRole>,
    ) -> Vec<Busy> {
        let then = self.at.replace(at);
        let earlier = std::mem::replace(&mut self.listing, listing.clone());
        self.foreign_s = 0.0;
        let Some(over) = then.and_then(|then| at.checked_sub(then)).filter(|t| !t.is_zero()) else {
            return Vec::new();
        };
        let mut kernel = 0;
        let mut busy: Vec<Busy> = Vec::new();
        for (pid, ticks) in charge(&earlier, listing) {
            let Some(stat) = listing.get(&pid) else { continue };
            let cores = per_second(ticks, over);
            if stat.is_kernel {
                kernel = sum([kernel, ticks]);
            } else if !roles.contains_key(&pid) && cores >= QUIET / 10.0 {
                busy.push(Busy {
                    name: stat.name.clone(),
                    pid,
                    command: None,
                    cores: rounded(cores),
                    over,
                });
            }
        }
        self.kernel_cores = per_second(kernel, over);
        busy.sort_by(|a, b| b.cores.total_cmp(&a.cores));
        busy.truncate(NAMED);
        for one in &mut busy {
            let keep = |line: &[u8]| parse_command(line).unwrap_or_default().into_bytes();
            let line = root.bytes_keeping(&format!("proc/{}/cmdline", one.pid), keep);
            one.command = line.ok().and_then(|line| parse_command(&line));
        }
        busy
    }
}
