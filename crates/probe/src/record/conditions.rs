//! Under which conditions a run of the probe stood.

use std::time::Duration;

use trueline_core::{By, ConditionKey, Conditions, Role};

use super::{CLIENT, RunFacts};
use crate::{Budget, ClientLoad, Ran, Schedule};

/// The conditions that the probe records beside those that every run has.
pub const PROBE_CONDITIONS: &[ConditionKey] = &[
    key("arrival", Role::Setting, "when requests were to be sent"),
    key("arrival_seed", Role::Context, "the seed of random gaps"),
    key("budget", Role::Context, "how much of the server the run might take"),
    key("prefix", Role::Setting, "which prefixes its prompts had in common"),
    key("api", Role::Setting, "the interface that it spoke"),
    key("connections", Role::Setting, "whether connections served again"),
    key("ended", Role::Context, "why it sent no more"),
    key("partial", Role::Context, "whether it ended before what was asked for"),
    key("requests_held", Role::Context, "requests that waited for the budget"),
    key("requests_unsent", Role::Context, "requests that were due and never sent"),
    key("requests_stopped", Role::Context, "requests that the client gave up"),
    key("bystander_longest_s", Role::Context, "the longest that a bystander's request took"),
    key("client_bottleneck", Role::Context, "whether the client, not the server, was the limit"),
    key("client_send_lag_p50_s", Role::Context, "how late requests were begun, the median"),
    key(
        "client_send_lag_p99_s",
        Role::Context,
        "how late requests were begun, the 99th percentile",
    ),
    key("client_send_lag_max_s", Role::Context, "how late requests were begun, the latest"),
    key("client_loop_lag_p50_s", Role::Context, "how late the client's loop ran, the median"),
    key("client_loop_lag_p99_s", Role::Context, "how late its loop ran, the 99th percentile"),
    key("client_loop_lag_max_s", Role::Context, "how late its loop ran, the latest"),
    key("client_cpu_share", Role::Context, "the share of its core that its thread used"),
    key("client_clock_step_s", Role::Context, "the smallest step of its clock"),
];

const fn key(name: &'static str, role: Role, about: &'static str) -> ConditionKey {
    ConditionKey { name, role, about }
}

/// What was asked for.
pub(super) fn asked(facts: &RunFacts, schedule: &Schedule, budget: &Budget) -> Conditions {
    let mut all = Conditions::default();
    let mut set = |key: &str, value: String| all.set(key, value, By::Reported);
    set("client", format!("{CLIENT} {}", env!("CARGO_PKG_VERSION")));
    set("arrival", schedule.arrival().to_string());
    if schedule.is_random() {
        set("arrival_seed", schedule.seed().to_string());
    }
    set("budget", budget.to_string());
    for (key, value) in
        [("prefix", &facts.prefix), ("api", &facts.api), ("connections", &facts.connections)]
    {
        if let Some(value) = value {
            set(key, value.clone());
        }
    }
    all
}

/// What was seen.
pub(super) fn seen(ran: &Ran) -> Conditions {
    let mut all = Conditions::default();
    if !ran.models.is_empty() {
        all.set("model", ran.models.join(", "), By::Reported);
    }
    let mut set = |key: &str, value: String| all.set(key, value, By::Measured);
    set("ended", ran.ended.to_string());
    set("partial", if ran.partial { "yes" } else { "no" }.to_owned());
    for (key, count) in [
        ("requests_held", ran.counts.held),
        ("requests_unsent", ran.counts.unsent),
        ("requests_stopped", ran.counts.stopped),
    ] {
        set(key, count.to_string());
    }
    if let Some(longest) = ran.bystander.and_then(|bystander| bystander.longest) {
        set("bystander_longest_s", seconds(longest));
    }
    of_client(&ran.client, &mut set);
    all
}

/// What the client knows of itself.
fn of_client(client: &ClientLoad, set: &mut impl FnMut(&str, String)) {
    set("client_bottleneck", client.verdict().to_string());
    for (name, lag) in [("send", &client.send_lag), ("loop", &client.loop_lag)] {
        let Some(lag) = lag else { continue };
        for (statistic, late) in [("p50", lag.p50), ("p99", lag.p99), ("max", lag.max)] {
            set(&format!("client_{name}_lag_{statistic}_s"), seconds(late));
        }
    }
    if let Some(share) = client.cpu_share {
        set("client_cpu_share", format!("{:.3}", share.get()));
    }
    if let Some(step) = client.clock_step {
        set("client_clock_step_s", seconds(step));
    }
}

fn seconds(took: Duration) -> String {
    took.as_secs_f64().to_string()
}
