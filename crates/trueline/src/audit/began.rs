//! When runs began: by their requests, else by the date that a tool writes down.

use trueline_core::{BenchRun, WallTime};

/// When each run of some began, in their order; `None` for all where one does not say by the same clock
/// as the others.
///
/// # Formula
/// The first measured request's start; else the tool's own date (`20261101-120000`, as vLLM writes it
/// when a run ends). Dates have no zone and serve for order alone.
pub(super) fn began(runs: &[&BenchRun]) -> Vec<Option<WallTime>> {
    let says: [fn(&BenchRun) -> Option<WallTime>; 2] = [by_requests, by_date];
    for of in says {
        let all: Vec<Option<WallTime>> = runs.iter().map(|run| of(run)).collect();
        if all.iter().all(Option::is_some) {
            return all;
        }
    }
    vec![None; runs.len()]
}

fn by_requests(run: &BenchRun) -> Option<WallTime> {
    run.measured().filter_map(|request| request.started.value()).min()
}

fn by_date(run: &BenchRun) -> Option<WallTime> {
    let (date, time) = run.conditions.get("date")?.split_once('-')?;
    let digits = |text: &str, length: usize| {
        let whole = text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
        whole.then(|| text.parse::<i64>().ok()).flatten()
    };
    let (date, time) = (digits(date, 8)?, digits(time, 6)?);
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    let (hour, minute, second) = (time / 10_000, time / 100 % 100, time % 100);
    if !((1..=12).contains(&month) && (1..=31).contains(&day)) {
        return None;
    }
    // Days since 1970 in years that begin in March: leap days come last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 719_469;
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    seconds.checked_mul(1_000_000_000).map(WallTime::from_nanos)
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, Side};

    use super::*;

    fn dated(date: &str) -> BenchRun {
        let mut run = BenchRun::new("r", Side::Client, Vec::new());
        run.conditions.set("date", date, By::Reported);
        run
    }

    #[test]
    fn a_tools_date_is_a_time() {
        let at = |date| by_date(&dated(date)).map(WallTime::as_secs_f64);
        // GNU date -u -d '2026-11-01 12:00:00' +%s and its like.
        assert_eq!(at("20261101-120000"), Some(1_793_534_400.0));
        assert_eq!(at("20240229-235959"), Some(1_709_251_199.0));
        assert_eq!(at("19700101-000000"), Some(0.0));
        for bad in
            ["20261301-000000", "2026-11-01", "20261101", "20261101-12", "99999999999-000000"]
        {
            assert_eq!(at(bad), None, "{bad}");
        }
    }

    #[test]
    fn runs_are_in_order_only_where_all_of_them_say_when() {
        let (a, b) = (dated("20261101-120000"), dated("yesterday"));
        assert_eq!(began(&[&a, &b]), [None, None]);
        assert!(began(&[&a, &a]).iter().all(Option::is_some));
    }
}
