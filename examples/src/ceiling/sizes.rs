//! Sizes and times for people.

use trueline::core::number::short;

/// What stands for a value that is not known.
pub(super) fn dash() -> String {
    "-".to_owned()
}

/// A time for people.
pub(super) fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{} s", short(s, 3)),
        s if s >= 1e-3 => format!("{} ms", short(s * 1e3, 3)),
        s => format!("{} µs", short(s * 1e6, 3)),
    }
}

/// A count of parameters for people.
pub(super) fn size(n: f64) -> String {
    if n >= 1e9 { format!("{} B", short(n / 1e9, 3)) } else { format!("{} M", short(n / 1e6, 3)) }
}

/// Bytes for people.
pub(super) fn size_bytes(bytes: f64) -> String {
    with_prefix(bytes, "B")
}

/// Operations for people.
pub(super) fn size_flops(flops: f64) -> String {
    with_prefix(flops, "FLOP")
}

/// A number with the prefix that leaves it between 1 and 1000.
fn with_prefix(x: f64, unit: &str) -> String {
    let prefixes = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let fitting = prefixes.into_iter().find(|(size, _)| x >= *size);
    let (size, prefix) = fitting.unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", short(x / size, 3))
}
