//! What a run came to, from what the driver kept.

use std::time::Duration;

use trueline_core::Share;

use super::Driver;
use crate::client_load::clock_step;
use crate::{Against, ClientLoad, Counts, Ended, Ran, Spread};

impl Driver<'_> {
    /// The end of the run, with the processor time that its thread used and how late its loop ran.
    pub(super) fn ran(mut self, used: Option<Duration>, loop_lag: Option<Spread>) -> Ran {
        let took = self.elapsed();
        let (ended, sending) = self.ended.map_or((Ended::Exhausted, took), |end| (end.why, end.at));
        let due = self.due(took);
        let share = used.map(|used| used.as_secs_f64() / took.as_secs_f64());
        let tally = &self.tally;
        let schedule = &self.load.schedule;
        Ran {
            ended,
            partial: !self.load.stop.is_met_by(&ended),
            counts: Counts {
                sent: tally.sent,
                answered: tally.answered,
                failed: tally.failed,
                stopped: tally.stopped,
                held: tally.held,
                resent: tally.resent,
                unsent: due.unwrap_or(tally.sent).saturating_sub(tally.sent),
            },
            began: self.began,
            sending,
            took,
            spent: self.spending.spent(),
            arrival: schedule.arrival(),
            seed: schedule.seed(),
            bystander: self.load.hooks.bystander(),
            client: ClientLoad {
                send_lag: tally.send_lag(),
                loop_lag,
                // Two clocks: a full core may seem a little more than one.
                cpu_share: share.and_then(|share| Share::new(share.min(1.0)).ok()),
                clock_step: clock_step(),
                against: Against {
                    median_gap: tally.median_gap(),
                    median_ttft: tally.median_ttft(),
                    mean_arrival_gap: schedule.mean_gap(),
                },
            },
            models: self.tally.into_models(),
        }
    }
}
