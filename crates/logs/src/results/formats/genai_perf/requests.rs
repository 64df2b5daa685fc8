//! `profile_export.json`: every request of every experiment with the times of its replies, in
//! nanoseconds of the client's clock.

use std::time::Duration;

use trueline_core::{By, Known, Load, Outcome, RequestRecord, Stretch, WallTime, Why};

use super::TOOL;
use super::chunks::{Reply, usage};
use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::node::{Map, Node};
use crate::results::plan::hold;
use crate::results::quantity::{NS, seconds, tokens};

/// A clock that counts from 1970 says more than this; one that counts from the start of the machine
/// says less. September 2001.
const HAS_DATE_NS: f64 = 1e18;

pub(super) fn is(map: &Map) -> Option<String> {
    let first = experiments(map).next()?;
    (first.has("requests") && first.at(&["experiment", "mode"]).is_some())
        .then(|| "experiments.requests, experiments.experiment.mode".to_owned())
}

fn experiments(map: &Map) -> impl Iterator<Item = &Map> {
    let list = map.get("experiments").and_then(Node::list).unwrap_or_default();
    list.iter().filter_map(Node::map)
}

pub(super) fn read(map: &Map, drafts: &mut Drafts) {
    for experiment in experiments(map) {
        let draft = drafts.begin(TOOL);
        if let Some(endpoint) = map.get("endpoint").and_then(Node::text).filter(|e| !e.is_empty()) {
            draft.run.conditions.set("endpoint", endpoint, By::Reported);
        }
        let known = ["experiments", "version", "service_kind", "endpoint"];
        let other = map.iter().map(|(key, _)| key).filter(|key| !known.contains(key));
        draft.unknown.extend(other.map(str::to_owned));
        take_load(draft, experiment);
        let list = experiment.get("requests").and_then(Node::list);
        let Some(requests) = list else {
            let found = experiment.get("requests").map_or("nothing".to_owned(), Node::brief);
            draft.reject("requests", "a list", found);
            continue;
        };
        let sent = |node: &Node| node.map()?.get("timestamp")?.number();
        let origin = requests.iter().filter_map(sent).fold(f64::INFINITY, f64::min);
        for (i, node) in requests.iter().enumerate() {
            let read = node.map().and_then(|map| request(map, sent(node)?, origin));
            match read {
                Some(request) => {
                    draft.used += 1;
                    draft.run.requests.push(request);
                }
                None => draft.rejected.push(format!(
                    "request {}: expected timestamp and as many response_timestamps as outputs",
                    i + 1
                )),
            }
        }
    }
}

fn take_load(draft: &mut Draft, experiment: &Map) {
    let value = experiment.at(&["experiment", "value"]);
    let plan = &mut draft.run.plan;
    match experiment.at(&["experiment", "mode"]).and_then(Node::text) {
        Some("concurrency") => hold(plan, value.and_then(Node::count)),
        Some("request_rate") => {
            plan.load = value.and_then(Node::number).filter(|r| *r > 0.0).map(Load::Rate);
        }
        _ => {}
    }
}

/// One request; `None` where its times are none.
fn request(map: &Map, sent: f64, origin: f64) -> Option<RequestRecord> {
    let reply = Reply::of(map)?;
    let mut request = RequestRecord::default();
    let session = map.at(&["request_inputs", "session_id"]).and_then(Node::text);
    request.session = session.map(str::to_owned);
    if sent >= HAS_DATE_NS {
        let at = WallTime::from_secs_f64(sent * NS);
        request.started = at.map_or(Known::Not(Why::Impossible), |at| Known::is(at, By::Measured));
    } else {
        request.sent_after = between(origin, sent);
    }
    request.outcome = if reply.failed || reply.is_empty() { Outcome::Failed } else { Outcome::Ok };
    request.tokens.prompt = tokens(usage(&reply, 0));
    request.tokens.cached = tokens(usage(&reply, 1));
    request.tokens.output = tokens(usage(&reply, 2));
    if let Some((first, last)) = reply.ends().filter(|_| request.outcome == Outcome::Ok) {
        request.spans.set(Stretch::ClientE2e, between(sent, last));
        if reply.streamed {
            request.spans.set(Stretch::ClientTtft, between(sent, first));
            let pairs = reply.tokens_at.iter().zip(reply.tokens_at.iter().skip(1));
            let gaps: Option<Vec<Duration>> = pairs.map(|(a, b)| between(*a, *b).value()).collect();
            request.gaps = gaps.unwrap_or_default();
        }
    }
    Some(request)
}

/// The time between two stamps in nanoseconds; with a date they are true to a quarter of a
/// microsecond.
fn between(from: f64, to: f64) -> Known<Duration> {
    seconds(Known::is((to - from) * NS, By::Measured))
}
