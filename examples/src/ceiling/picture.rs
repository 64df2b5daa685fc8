//! The bounds of an estimate as a picture.

use trueline::core::number::short;

use super::Estimate;
use super::claimed::Claimed;
use super::drawing::{self, Point, Roofline};
use super::estimate::real;
use super::rows::sums;

/// A roofline with the model ceiling and the first claim on it; empty where a rate is not known.
pub(super) fn picture(of: &Estimate, claims: &[Claimed]) -> Vec<String> {
    let (flops, bytes, seconds) = sums(&of.roof.parts);
    let Some((((peak, path), memory), seconds)) = main_peak(of).zip(bandwidth(of)).zip(seconds)
    else {
        return Vec::new();
    };
    let intensity = flops / bytes;
    let mut points = vec![Point {
        intensity,
        rate: flops / seconds,
        mark: 'o',
        name: "the model ceiling".to_owned(),
    }];
    let rates = claims.iter().filter_map(|claimed| claimed.rate.as_ref());
    for (claim, _) in rates.take(1) {
        let rate = claim.get() * flops / of.tokens();
        let name = format!("the claim of {} tok/s", short(claim.get(), 4));
        points.push(Point { intensity, rate, mark: 'X', name });
    }
    let roof = Roofline {
        bandwidth: memory,
        peak,
        slope_name: format!("{} GB/s", short(memory / 1e9, 4)),
        flat_name: format!("{path} {} TFLOP/s", short(peak / 1e12, 4)),
    };
    drawing::draw(&roof, &points)
}

/// The best usual rate for most of the weights, and the name of its path.
pub(super) fn main_peak(of: &Estimate) -> Option<(f64, String)> {
    let linear = of.shape.layers.iter().flat_map(|layer| {
        let own = layer.linear.iter().map(|m| (real(layer.repeated) * real(m.weights), m));
        let experts = layer.experts.iter().map(|experts| {
            let used = real(layer.repeated) * real(experts.routing.per_token());
            (used * real(experts.each.weights), &experts.each)
        });
        own.chain(experts)
    });
    let (_, most) = linear.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    let rates = most.paths.iter().filter_map(|path| {
        Some((of.limits.usual.peak(*path)?.high().get(), path.dtype.name().to_owned()))
    });
    rates.reduce(|a, b| if b.0 > a.0 { b } else { a })
}

/// The bandwidth as usual.
pub(super) fn bandwidth(of: &Estimate) -> Option<f64> {
    of.limits.usual.memory.as_ref().map(|memory| memory.high().get())
}
