//! Sends requests by a schedule until a rule ends the run, within a budget.
//!
//! What is due is sent before anything else is done; what ended is given away at once. A request that had
//! to wait keeps the moment at which it was due, so that no wait in the client is lost.

mod alarm;
mod backlog;
mod driver;
mod error;
mod flights;
mod hooks;
mod load_run;
mod loop_watch;
mod ran;
mod tally;

pub use self::alarm::Timer;
use self::backlog::Backlog;
pub use self::error::{LoadError, LoadErrorKind};
pub use self::hooks::Bystander;
pub use self::load_run::LoadRun;
pub use self::ran::{Counts, Ended, Ran};
