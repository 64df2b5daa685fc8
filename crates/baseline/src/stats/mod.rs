//! Plain statistics: slices in, numbers out. Nothing here knows what a request is.

mod count;
mod dip;
mod interval;
mod lag;
mod mean;
mod mser;
mod quantile;
mod ranks;
mod trend;
mod welch;

pub(crate) use count::{count, real};
pub use dip::{Dip, dip};
pub use interval::{OrderInterval, interval_orders, order_interval, smallest_n};
pub use lag::{independent_share, weakened_p};
pub(crate) use mean::{mean, squares_about};
pub use mser::{Cut, mser5};
pub use quantile::{median, quantile};
pub(crate) use quantile::{median_of, sorted};
pub use ranks::{all_among_lowest, ranks};
pub use trend::{Trend, trend};
pub(crate) use welch::t_quantile;
pub use welch::{RatioEstimate, ratio_of_means};
