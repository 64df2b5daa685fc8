//! What the live example programs share: their arguments, how they measure, what they print first.

pub mod circumstances;
pub mod drawn_seed;
pub mod fit_lines;
pub mod floor;
pub mod headline;
pub mod how_long;
pub mod interrupts;
pub mod log_rows;
pub mod meter;
pub mod models;
pub mod outcome;
pub mod reasons;
pub mod saved;
pub mod session;
pub mod simulated;
pub mod target;
