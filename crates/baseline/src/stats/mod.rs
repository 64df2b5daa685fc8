//! Plain statistics: slices in, numbers out. Nothing here knows what a request is.
//!
//! Functions refuse what they cannot answer with `None`: no values, too few for an interval, values
//! that are not finite, numbers outside their range. None panics and none hangs. Intervals and
//! plans take one value a run where runs are compared: requests of one run are not independent of
//! each other, and the more of them are pooled the more often a test finds what is not there.
//!
//! | question | function |
//! | --- | --- |
//! | by what ratio do two arms differ, from runs | [`ratio_of_means`], [`ratio_of_arithmetic_means`], [`hodges_lehmann_ratio`] |
//! | the same, of tokens over seconds | [`ratio_of_sums`], [`ratio_of_rates`]; which mean says what: [`rate_means`] |
//! | the same, measured in rounds | [`paired_ratio`], in the order of [`round_order`] |
//! | do they differ by less than matters | [`equivalence`] |
//! | does one tend to lie higher | [`mann_whitney`], [`brunner_munzel`], [`sign_test`], [`signed_rank`] |
//! | how many runs or rounds does it take | [`runs_to_show`], [`rounds_to_show`], [`runs_for_precision`] |
//! | what could these runs have shown | [`smallest_difference`], [`power_of_runs`] |
//! | several tests, several looks, the best of several | [`holm`], [`benjamini_hochberg`], [`bonferroni`]; [`false_alarms`], [`pocock_bound`], [`obrien_fleming_bound`]; [`best_of_inflation`] |
//! | a quantile and how certain it is | [`quantile`], [`order_interval`], [`tail_estimate`], [`harrell_davis`] |
//! | the same, looked at after every value | [`anytime_interval`] |
//! | two distributions quantile by quantile | [`quantile_ratios`] |
//! | a share and how certain it is, two shares | [`share_interval`], [`fisher_exact`] |
//! | do two workloads differ | [`kolmogorov_smirnov`], [`wasserstein`], [`energy_distance`], [`stability_index`] |
//! | a benchmark's rate on production's mix | [`reweighted_rate`], [`effective_weights`] |
//! | a ratio over a ratio | [`chain`], [`closes`] |
//! | what a changed part can do for the whole | [`speedup_bound`], [`speedup_of_whole`], [`share_needed`], [`explain_saving`] |
//! | where values stand among others | [`ranks`], [`all_among_lowest`] |
//! | start, trend, levels and modes of a series | [`mser5`], [`trend`], [`change_points`], [`dip`] |
//! | an interval without a formula for it | [`bootstrap`], [`bootstrap_ratio`]: a quantile, a mean, a ratio of sums of independent values |
//! | the same of all requests of several runs | [`cluster_bootstrap`], [`cluster_ratio`] |
//! | the same of a series whose neighbours resemble each other | [`block_bootstrap`], [`block_ratio`], [`block_length`], [`block_variance`] |
//! | do neighbours resemble each other, what is a series worth | [`autocorrelation`], [`ljung_box`], [`effective_size`] |
//! | how much lies between runs, how many requests should one have | [`components`] |
//! | do two arms of few runs differ, whatever their distribution | [`label_test`] |
//!
//! Whatever draws takes a seed and gives it back; the stream is [`Random`]'s. How often intervals
//! hold the true value is counted in `docs/method.md`.

mod amdahl;
mod anytime;
mod binomial;
mod brunner_munzel;
mod chain;
mod count;
mod dip;
mod distance;
mod equivalence;
mod fieller;
mod fisher;
mod harrell_davis;
mod interval;
mod kolmogorov;
mod lag;
mod looks;
mod mann_whitney;
mod mean;
mod mix;
mod mser;
mod multiplicity;
mod pair_order;
mod paired;
mod planning;
mod pooled;
mod quantile;
mod quantile_ratios;
mod rank_sum;
mod ranks;
mod reweighting;
mod round_planning;
mod rounds;
mod selection;
mod shift;
mod signed_rank;
mod special;
mod sums;
mod tail_estimate;
mod trend;
mod welch;

mod autocorrelation;
mod bca;
mod block_length;
mod blocks;
mod bootstrap;
mod change_points;
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

pub use amdahl::{Explained, explain_saving, share_needed, speedup_bound, speedup_of_whole};
pub use anytime::{AnytimeInterval, anytime_interval, anytime_orders};
pub use binomial::{binomial, binomial_at_least, binomial_at_most, share_interval};
pub use brunner_munzel::{BrunnerMunzel, brunner_munzel};
pub use chain::{Chain, Closure, MeasuredRatio, chain, closes};
pub(crate) use count::{count, real};
pub use dip::{Dip, dip};
pub use distance::{energy_distance, wasserstein, weighted_wasserstein};
pub use equivalence::{Equivalence, equivalence};
pub use fieller::{MeanRatio, ratio_of_arithmetic_means};
pub use fisher::fisher_exact;
pub use harrell_davis::harrell_davis;
pub use interval::{OrderInterval, interval_orders, order_interval, smallest_n};
pub use kolmogorov::{KolmogorovSmirnov, kolmogorov, kolmogorov_smirnov};
pub use lag::{independent_share, weakened_p};
pub use looks::{false_alarms, obrien_fleming_bound, pocock_bound};
pub use mann_whitney::{RankMethod, RankTest, mann_whitney, mann_whitney_normal};
pub(crate) use mean::{mean, squares_about};
pub use mix::{Mix, WeighedBy, stability_index};
pub use mser::{Cut, mser5};
pub use multiplicity::{benjamini_hochberg, bonferroni, holm};
pub use paired::{PairedMean, PairedRatio, paired_ratio, sign_test};
pub use planning::{power_of_runs, runs_for_precision, runs_to_show, smallest_difference};
pub use quantile::{median, quantile, quantile_type8};
pub(crate) use quantile::{median_of, sorted, sorted_finite};
pub use quantile_ratios::{QuantileRatio, quantile_ratios};
pub use ranks::{all_among_lowest, ranks};
pub use reweighting::{MixBucket, Reweighted, effective_weights, reweighted_rate};
pub use round_planning::rounds_to_show;
pub use rounds::round_order;
pub use selection::best_of_inflation;
pub use shift::{Shift, ShiftInterval, hodges_lehmann, hodges_lehmann_ratio};
pub use signed_rank::{SignedRank, signed_rank};
pub use special::{normal_cdf, normal_quantile, t_cdf, t_quantile};
pub use sums::{RateMeans, RatioOfSums, geometric_mean, rate_means, ratio_of_rates, ratio_of_sums};
pub use tail_estimate::{TailEstimate, maximum_floor, tail_estimate, tail_floor};
pub use trend::{Trend, trend};
pub use welch::{RatioEstimate, ratio_of_means};

pub use autocorrelation::{LjungBox, autocorrelation, ljung_box};
pub use block_length::{BlockLength, block_length};
pub use blocks::{LEAST_EFFECTIVE, block_bootstrap, block_ratio, block_variance};
pub use bootstrap::{bootstrap, bootstrap_ratio};
pub use change_points::change_points;
pub use clusters::{LEAST_RUNS, cluster_bootstrap, cluster_ratio};
pub use components::{Components, components};
pub use drawing::Within;
pub use effective::{EffectiveSize, effective_size};
pub use labels::{LabelTest, label_test};
pub use random::Random;
pub use resampling::{Resampled, Resampling};
pub use sample::{Estimand, LEAST_CARRYING};
