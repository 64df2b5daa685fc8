//! Plain statistics: slices in, numbers out. Nothing here knows what a request is.

mod interval;
mod quantile;
mod ranks;
mod welch;

pub use interval::{OrderInterval, interval_orders, order_interval, smallest_n};
pub use quantile::{median, quantile};
pub use ranks::{all_among_lowest, ranks};
pub use welch::{RatioEstimate, ratio_of_means};
