//! What is sent, in which order, and what must hold between its parts.

mod error;
mod order;
mod prefix;
mod replay;
mod rounds;
mod stage;
mod sweep;
mod versus;
mod warmup;
mod workload;

pub use error::{PlanError, PlanErrorKind};
pub use prefix::Prefix;
pub use replay::{LogRow, Replay, ReplayFit, ReplayLengths, Replayed};
pub use stage::{Arm, Askings, Between, Experiment, Purpose, Stage};
pub use sweep::Sweep;
pub use versus::Versus;
pub use workload::Workload;
