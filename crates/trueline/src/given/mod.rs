//! Figures that somebody states: a ceiling, causes of a loss.

mod ceiling;
mod loss;

pub use ceiling::{Given, GivenWhat};
pub use loss::explain_loss;
