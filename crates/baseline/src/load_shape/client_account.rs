//! What a client that watches itself says of itself.

use trueline_core::{BenchRun, Evidence, Finding, Need, Outcomes, Scope};

use super::checks::CLIENT_BOUND;
use crate::form::Form;

/// The condition under which a client says whether it was the limit.
const ACCOUNT: &str = "client_bottleneck";

/// The conditions that hold what it rests on, with the operands that they become.
const FIGURES: [(&str, &str); 3] = [
    ("client_loop_lag_p99_s", "loop_lag_p99_s"),
    ("client_cpu_share", "cpu_share"),
    ("client_send_lag_p99_s", "send_lag_p99_s"),
];

/// What a client says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Account<'a> {
    /// It was the limit, for this reason.
    Bound(Option<&'a str>),
    /// It was not.
    NotBound,
    /// It cannot tell.
    NotObserved,
}

/// The account of a run's client; `None` where there is none, or in words that mean nothing here.
fn account(run: &BenchRun) -> Option<Account<'_>> {
    let said = run.conditions.get(ACCOUNT)?.trim();
    match said {
        "no" => Some(Account::NotBound),
        "not observed" => Some(Account::NotObserved),
        "yes" => Some(Account::Bound(None)),
        _ => {
            let why = said.strip_prefix("yes:")?.trim();
            Some(Account::Bound(Some(why).filter(|why| !why.is_empty())))
        }
    }
}

/// Checks a run by what its client says of itself: the condition `client_bottleneck` is `no`, `not
/// observed`, or `yes: ` with the reason. A run whose client says nothing of that kind has no outcome.
///
/// The client judged its loop, its thread and its schedule while it measured, against the gaps and the
/// TTFT that it saw; its word is taken, since neither of them can be told from its requests afterwards.
/// The delays of single requests are not looked at: making a connection is in them.
pub fn check_client_account(run: &BenchRun) -> Outcomes {
    let check = &CLIENT_BOUND;
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    match account(run) {
        None => {}
        Some(Account::NotBound) => outcomes.clear(check, about),
        Some(Account::NotObserved) => {
            outcomes.not_observed(check, Need::ClientNotBound, about);
        }
        Some(Account::Bound(why)) => {
            let mut message = "the client was the limit by its own account".to_owned();
            if let Some(why) = why {
                message.push_str(": ");
                message.push_str(why);
            }
            let finding = Finding::new(check, about, message).with("form", Form::Aggregate);
            let figures = FIGURES.into_iter().filter_map(|(key, operand)| {
                let value = run.conditions.get(key)?.parse::<f64>().ok()?;
                value.is_finite().then_some((operand, value))
            });
            outcomes.found(figures.fold(finding, |finding, (operand, value)| {
                finding.with(operand, Evidence::from(value))
            }));
        }
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, CheckOutcome, Load, Thresholds};

    use super::super::client::check_client;
    use super::super::timeline::made::*;
    use super::*;

    /// A run whose client recorded this of itself.
    fn run(load: Load, recorded: &[(&str, &str)]) -> BenchRun {
        let mut run = with_load(Vec::new(), Some(load));
        for (key, value) in recorded {
            run.conditions.set(*key, *value, By::Measured);
        }
        run
    }

    fn outcomes(run: &BenchRun) -> Outcomes {
        let own = check_client_account(run);
        // Where the client says something, that is what the check says.
        assert_eq!(check_client(run, &Thresholds::default()), own);
        own
    }

    const CLOSED: Load = Load::Concurrency(64);

    #[test]
    fn a_client_that_says_it_was_the_limit_is_found_with_what_it_rests_on() {
        let said = "yes: the client's thread used 97 % of its core, of at most 85 %";
        let outcomes = outcomes(&run(
            CLOSED,
            &[(ACCOUNT, said), ("client_cpu_share", "0.970"), ("client_loop_lag_p99_s", "0.0009")],
        ));
        let finding = outcomes.findings().next().unwrap();
        assert_eq!(
            finding.message,
            "the client was the limit by its own account: the client's thread used 97 % of its core, of \
             at most 85 %"
        );
        assert_eq!(finding.evidence.get("cpu_share"), Some(&Evidence::from(0.97)));
        assert_eq!(finding.evidence.get("loop_lag_p99_s"), Some(&Evidence::from(0.0009)));
        // In a closed loop there is no send lag.
        assert_eq!(finding.evidence.get("send_lag_p99_s"), None);
    }

    #[test]
    fn a_client_that_says_it_was_not_is_clear_in_a_closed_loop_too() {
        for load in [CLOSED, Load::Rate(4.0)] {
            let outcomes = outcomes(&run(load, &[(ACCOUNT, "no"), ("client_cpu_share", "0.84")]));
            assert!(matches!(outcomes.iter().next(), Some(CheckOutcome::Clear { .. })));
        }
    }

    #[test]
    fn a_client_that_cannot_tell_has_not_observed_it() {
        let outcomes = outcomes(&run(CLOSED, &[(ACCOUNT, "not observed")]));
        assert!(matches!(outcomes.iter().next(), Some(CheckOutcome::NotObserved { .. })));
    }

    #[test]
    fn figures_that_are_none_are_left_out() {
        for bad in ["nan", "inf", "", "a lot"] {
            let outcomes = outcomes(&run(CLOSED, &[(ACCOUNT, "yes: "), ("client_cpu_share", bad)]));
            let finding = outcomes.findings().next().unwrap();
            assert_eq!(finding.evidence.get("cpu_share"), None, "{bad}");
            assert_eq!(finding.message, "the client was the limit by its own account");
        }
    }

    #[test]
    fn other_words_are_no_account() {
        for words in [&[][..], &[(ACCOUNT, "")], &[(ACCOUNT, "maybe")], &[(ACCOUNT, "yesterday")]] {
            let run = run(CLOSED, words);
            assert_eq!(check_client_account(&run), Outcomes::default());
            let judged = check_client(&run, &Thresholds::default());
            assert!(matches!(judged.iter().next(), Some(CheckOutcome::NotObserved { .. })));
        }
    }
}
