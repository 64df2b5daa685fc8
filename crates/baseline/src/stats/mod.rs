//! Plain statistics: slices in, numbers out. Nothing here knows what a request is.

mod binomial;
mod brunner_munzel;
mod count;
mod dip;
mod interval;
mod lag;
mod mann_whitney;
mod mean;
mod mser;
mod pair_order;
mod pooled;
mod quantile;
mod rank_sum;
mod ranks;
mod shift;
mod special;
mod trend;
mod welch;

pub use binomial::{binomial, binomial_at_least, binomial_at_most, share_interval};
pub use brunner_munzel::{BrunnerMunzel, brunner_munzel};
pub(crate) use count::{count, real};
pub use dip::{Dip, dip};
pub use interval::{OrderInterval, interval_orders, order_interval, smallest_n};
pub use lag::{independent_share, weakened_p};
pub use mann_whitney::{RankMethod, RankTest, mann_whitney, mann_whitney_normal};
pub(crate) use mean::{mean, squares_about};
pub use mser::{Cut, mser5};
pub use quantile::{median, quantile, quantile_type8};
pub(crate) use quantile::{median_of, sorted, sorted_finite};
pub use ranks::{all_among_lowest, ranks};
pub use shift::{Shift, ShiftInterval, hodges_lehmann, hodges_lehmann_ratio};
pub use special::{normal_cdf, normal_quantile, t_cdf, t_quantile};
pub use trend::{Trend, trend};
pub use welch::{RatioEstimate, ratio_of_means};
