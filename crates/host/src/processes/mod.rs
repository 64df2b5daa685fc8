//! The processes that measure and serve, and who else is busy.

mod cgroup_name;
mod charge;
mod checks;
mod command;
mod connections;
mod cpu_list;
mod cpu_time;
mod delays;
mod environment;
mod family;
mod fds;
mod glimpse;
mod libraries;
mod listing;
mod meter;
mod others;
mod process;
mod readings;
mod rules;
mod server;
mod sockets;
mod stat;
mod status;
mod strangers;
mod threads;
mod tick;
mod visitors;

#[cfg(test)]
mod captured;
#[cfg(all(test, target_os = "linux"))]
mod live;
#[cfg(test)]
mod metered;

pub use checks::{PROCESS_CHECKS, PROCESS_CONDITIONS};
pub use connections::{Connections, Peer};
pub use cpu_list::{CpuList, CpuListError};
pub use cpu_time::{CpuTime, CpuTimes};
pub use family::ProcessRole;
pub use meter::Meter;
pub use others::{Other, Others};
pub use process::{Ancestor, Autogroup, Process, Tracer};
pub use readings::Processes;
pub(crate) use rules::{check, note_seen, own_time};
pub use server::Server;
pub use stat::Policy;
pub use threads::{RunTime, Thread, Threads};
pub use tick::{Busy, CpuTick};
