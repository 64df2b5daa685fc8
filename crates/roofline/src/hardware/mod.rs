//! Accelerators as data: what each source says of them, and the rates that follow.

mod catalogue;
mod ceilings;
mod cell;
mod error;
mod explain;
mod facts;
mod file;
mod law;
mod lookup;
mod math_path;
mod names;
mod part;
mod peak;
mod telling;

pub use catalogue::Catalogue;
pub use ceilings::{Ceiling, Ceilings, ClockRange, LiveClocks};
pub use cell::{Cell, Statement, Tag};
pub use error::{HardwareError, HardwareErrorKind};
pub use explain::{Bound, Explanation, explains};
pub use facts::DeviceFacts;
pub use law::{Deviation, LAW_TOLERANCE};
pub use math_path::{Accumulate, DType, Density, MathPath, MathPathError};
pub use part::{Hardware, LawException};
