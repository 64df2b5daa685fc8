//! Whether client or server was built for debugging.

use trueline_core::{Finding, Outcomes};

use super::super::checks::DEBUG_BUILD;
use super::conclusion::conclude;
use super::seen::{seen, whose};
use crate::judge::View;

/// Checks that client and server were built for release.
pub(super) fn check_debug_build(view: &View<'_>, outcomes: &mut Outcomes) {
    let check = &DEBUG_BUILD;
    let seen = seen(view);
    let (debug, unread) = seen.find(|process| &process.debug_signs, |_, signs| !signs.is_empty());
    let found = debug.map(|(process, signs)| {
        let message = format!(
            "{} {} was built for debugging ({})",
            whose(process.role),
            process.words(),
            signs.join(", ")
        );
        Finding::new(check, view.about.clone(), message)
            .with("signs", signs.clone())
            .with("pid", u64::from(process.pid))
    });
    conclude(view, outcomes, check, found, unread);
}

#[cfg(test)]
mod tests {
    use trueline_core::{Known, Severity, Why};

    use super::super::made::*;

    const CODE: &str = "debug-build";

    #[test]
    fn a_debug_build_is_an_error_and_a_release_build_is_clear() {
        let mut made = made();
        assert_eq!(made.outcome(CODE), "clear");
        made.both(|server| server.debug_signs = is(vec!["target/debug".to_owned()]));
        assert_eq!(made.severity(CODE), Some(Severity::Error));
        assert!(made.message(CODE).contains("the server's server (30) was built for debugging"));
    }

    #[test]
    fn a_server_of_another_user_is_not_observed() {
        let mut made = made();
        made.both(|server| server.debug_signs = Known::Not(Why::Denied));
        assert_eq!(made.outcome(CODE), "needs HostReading");
        assert_eq!(Made::nothing().outcome(CODE), "needs HostWatched");
    }
}
