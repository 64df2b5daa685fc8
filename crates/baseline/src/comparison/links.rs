//! The links of a chain that lead from one baseline to another.

use std::collections::VecDeque;

use trueline_core::{Claim, Link};

/// The claim's own ratio: as its chain holds it, else as it states it.
pub(super) fn own_link(claim: &Claim, baseline: &str) -> Option<Link> {
    let of = claim.of.as_deref();
    let in_chain =
        claim.chain.iter().find(|link| link.over == baseline && of.is_some_and(|of| link.of == of));
    let stated = || {
        let mut link = Link::new(claim.value?, of.unwrap_or("the candidate"), baseline);
        link.interval = claim.interval;
        Some(link)
    };
    in_chain.cloned().or_else(stated)
}

/// The links that lead from one to the other, each the right way round; `None` where there is no
/// way. The candidate itself is no step of it.
pub(super) fn path(
    chain: &[Link],
    from: &str,
    to: &str,
    candidate: Option<&str>,
) -> Option<Vec<Link>> {
    let mut seen = vec![from.to_owned()];
    let mut open = VecDeque::from([(from.to_owned(), Vec::new())]);
    while let Some((at, so_far)) = open.pop_front() {
        let steps = chain.iter().filter_map(|link| {
            if link.of == at { Some(link.clone()) } else { (link.over == at).then(|| turned(link)) }
        });
        for step in steps.collect::<Vec<_>>() {
            let next = step.over.clone();
            if seen.contains(&next) || candidate == Some(next.as_str()) {
                continue;
            }
            let mut way: Vec<Link> = so_far.clone();
            way.push(step);
            if next == to {
                return Some(way);
            }
            seen.push(next.clone());
            open.push_back((next, way));
        }
    }
    None
}

/// A ratio the other way round.
fn turned(link: &Link) -> Link {
    let mut turned = Link::new(link.ratio.recip(), &link.over, &link.of);
    turned.interval = link.interval.map(|(low, high)| (high.recip(), low.recip()));
    (turned.of_value, turned.of_interval) = (link.over_value, link.over_interval);
    (turned.over_value, turned.over_interval) = (link.of_value, link.of_interval);
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that a way passes through, and the product of its ratios.
    fn way(chain: &[Link], candidate: Option<&str>) -> Option<(Vec<String>, f64)> {
        let links = path(chain, "library", "engine", candidate)?;
        let names = links.iter().map(|link| link.over.clone()).collect();
        Some((names, links.iter().map(|link| link.ratio).product()))
    }

    #[test]
    fn links_are_taken_in_any_order_and_either_way_round() {
        let chain = [Link::new(3.0, "other", "engine"), Link::new(2.0, "other", "library")];
        // By hand: library / other = 1/2, other / engine = 3.
        let (names, ratio) = way(&chain, None).unwrap();
        assert_eq!(names, ["other", "engine"]);
        assert!((ratio - 1.5).abs() < 1e-12);
    }

    #[test]
    fn the_shortest_way_is_taken_and_circles_end() {
        let mut chain = vec![
            Link::new(2.0, "library", "a"),
            Link::new(2.0, "a", "engine"),
            Link::new(5.0, "library", "engine"),
        ];
        assert_eq!(way(&chain, None).unwrap().0, ["engine"]);
        chain = vec![Link::new(1.0, "library", "a"), Link::new(1.0, "a", "library")];
        assert_eq!(way(&chain, None), None);
        assert_eq!(way(&[], None), None);
    }

    #[test]
    fn the_candidate_is_no_step_between_two_baselines() {
        let chain = [Link::new(1.8, "new", "library"), Link::new(1.5, "new", "engine")];
        assert_eq!(way(&chain, Some("new")), None);
        assert!(way(&chain, None).is_some());
    }

    #[test]
    fn a_ratio_turned_around_keeps_what_was_measured_of_each() {
        let mut link = Link::new(2.0, "a", "b").with_interval(1.6, 2.5);
        link.of_value = Some(20.0);
        link.over_interval = Some((9.0, 11.0));
        let back = turned(&link);
        assert_eq!((back.of.as_str(), back.over.as_str()), ("b", "a"));
        assert_eq!((back.interval, back.over_value), (Some((0.4, 0.625)), Some(20.0)));
        assert_eq!(back.of_interval, Some((9.0, 11.0)));
    }
}
