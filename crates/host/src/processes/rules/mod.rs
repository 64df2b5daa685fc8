//! What follows from readings of processes.

mod added;
mod attached;
mod build;
mod conclusion;
mod conditions;
mod fd_limit;
mod foreign;
mod nice;
mod nice_cause;
mod replaced;
mod run_delay;
mod seen;
mod shared_cores;
mod unwatched;

#[cfg(test)]
mod made;

pub(crate) use added::own_time;
pub(crate) use conditions::note_seen;

use trueline_core::Outcomes;

use crate::judge::View;

/// Runs all checks of processes.
pub(crate) fn check(view: &View<'_>, outcomes: &mut Outcomes) {
    nice::check_nice(view, outcomes);
    run_delay::check_run_delay(view, outcomes);
    foreign::check_foreign_load(view, outcomes);
    shared_cores::check_shared_cores(view, outcomes);
    attached::check_traced(view, outcomes);
    build::check_debug_build(view, outcomes);
    fd_limit::check_fd_limit(view, outcomes);
    attached::check_environment(view, outcomes);
    replaced::check_replaced(view, outcomes);
}
