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

mod autocorrelation;
mod bca;
mod block_length;
mod blocks;
mod bootstrap;
mod clusters;
mod components;
mod drawing;
mod effective;
mod ends;
mod labels;
mod random;
mod resampling;
mod sample;
mod studentized;

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
pub use welch::{RatioEstimate, ratio_of_means};

pub use autocorrelation::{LjungBox, autocorrelation, ljung_box};
pub use block_length::{BlockLength, block_length};
pub use blocks::{LEAST_EFFECTIVE, block_bootstrap, block_ratio, block_variance};
pub use bootstrap::{bootstrap, bootstrap_ratio};
pub use clusters::{LEAST_RUNS, cluster_bootstrap, cluster_ratio};
pub use components::{Components, components};
pub use drawing::Within;
pub use effective::{EffectiveSize, effective_size};
pub use labels::{LabelTest, label_test};
pub use random::Random;
pub use resampling::{Resampled, Resampling};
pub use sample::{Estimand, LEAST_CARRYING};
