//! One cell of a table of nvidia-smi: a value with or without its unit, or why there is none.

use trueline_core::{By, Known, Share, Why};

use crate::gpu::reasons::Reasons;

/// One cell, with the unit that its column's header names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell<'a> {
    text: &'a str,
    header_unit: Option<&'a str>,
}

/// The name and the unit of a column: `clocks.current.sm [MHz]`.
pub(super) fn parse_header(header: &str) -> (&str, Option<&str>) {
    let header = header.trim();
    match header.split_once('[') {
        Some((name, unit)) => (name.trim_end(), Some(unit.trim_end_matches(']').trim())),
        None => (header, None),
    }
}

impl<'a> Cell<'a> {
    pub(super) fn new(text: &'a str, header_unit: Option<&'a str>) -> Self {
        Self { text: text.trim(), header_unit }
    }

    /// Why the cell holds no value, if it holds none.
    pub(super) fn why(self) -> Option<Why> {
        let inner = self.text.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        match inner.as_str() {
            "" => Some(Why::Absent),
            "n/a" | "not supported" | "not available" => Some(Why::NotApplicable),
            "insufficient permissions" => Some(Why::Denied),
            _ if self.text.starts_with('[') => Some(Why::Unreadable),
            _ => None,
        }
    }

    fn read<T>(self, parse: impl FnOnce(&str) -> Option<T>) -> Known<T> {
        match self.why() {
            Some(why) => Known::Not(why),
            None => parse(self.text)
                .map_or(Known::Not(Why::Unreadable), |value| Known::is(value, By::Reported)),
        }
    }

    /// The text as it stands.
    pub(super) fn text(self) -> Known<String> {
        self.read(|text| Some(text.to_owned()))
    }

    /// The unit that stands beside the value in the cell itself.
    pub(super) fn own_unit(self) -> Option<&'a str> {
        let (number, unit) = self.text.split_once(' ')?;
        number.parse::<f64>().ok().map(|_| unit.trim())
    }

    /// A number in one of the units given, each with its factor; without any unit the first holds.
    fn scaled(self, units: &[(&str, f64)]) -> Known<f64> {
        self.read(|text| {
            let own = self.own_unit();
            let number = text.split(' ').next()?.parse::<f64>().ok().filter(|x| x.is_finite())?;
            let factor = match own.or(self.header_unit) {
                Some(unit) => units.iter().find(|(name, _)| *name == unit)?.1,
                None => units.first()?.1,
            };
            Some(number * factor)
        })
    }

    fn whole(self, units: &[(&str, f64)]) -> Known<u64> {
        match self.scaled(units) {
            Known::Not(why) => Known::Not(why),
            Known::Is { value, by } if (0.0..9e15).contains(&value) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "bounded by the guard"
                )]
                let whole = value.round() as u64;
                Known::Is { value: whole, by }
            }
            Known::Is { .. } => Known::Not(Why::Impossible),
        }
    }

    /// A count without a unit.
    pub(super) fn count(self) -> Known<u64> {
        self.whole(&[("", 1.0)])
    }

    /// A small count without a unit.
    pub(super) fn small(self) -> Known<u32> {
        narrow(self.count())
    }

    /// A clock, MHz.
    pub(super) fn clock_mhz(self) -> Known<u32> {
        narrow(self.whole(&[("MHz", 1.0), ("GHz", 1e3)]))
    }

    /// A power, milliwatts.
    pub(super) fn power_mw(self) -> Known<u64> {
        self.whole(&[("W", 1e3), ("mW", 1.0)])
    }

    /// A time, nanoseconds.
    pub(super) fn time_ns(self) -> Known<u64> {
        self.whole(&[("us", 1e3), ("ms", 1e6), ("ns", 1.0)])
    }

    /// A temperature or a difference of two, degrees Celsius; it may be negative.
    pub(super) fn celsius(self) -> Known<i32> {
        match self.scaled(&[("C", 1.0)]) {
            Known::Not(why) => Known::Not(why),
            Known::Is { value, by } if value.abs() < 1e4 => {
                #[expect(clippy::cast_possible_truncation, reason = "bounded by the guard")]
                let whole = value.round() as i32;
                Known::Is { value: whole, by }
            }
            Known::Is { .. } => Known::Not(Why::Impossible),
        }
    }

    /// A share that is written in percent.
    pub(super) fn share(self) -> Known<Share> {
        match self.scaled(&[("%", 0.01)]) {
            Known::Not(why) => Known::Not(why),
            Known::Is { value, by } => Share::new(value)
                .map_or(Known::Not(Why::Impossible), |value| Known::Is { value, by }),
        }
    }

    /// A performance state: `P0` to `P15`.
    pub(super) fn performance_state(self) -> Known<u32> {
        self.read(|text| text.strip_prefix('P')?.parse().ok())
    }

    /// A mask of reasons: `0x0000000000000004`.
    pub(super) fn mask(self) -> Known<Reasons> {
        self.read(|text| {
            let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
            u64::from_str_radix(digits, 16).ok().map(Reasons::from_bits)
        })
    }

    /// Whether something is on.
    pub(super) fn switch(self) -> Known<bool> {
        self.read(|text| match text.to_ascii_lowercase().as_str() {
            "active" | "enabled" | "yes" | "on" | "1" => Some(true),
            "not active" | "disabled" | "no" | "off" | "0" => Some(false),
            _ => None,
        })
    }
}

fn narrow(known: Known<u64>) -> Known<u32> {
    match known {
        Known::Not(why) => Known::Not(why),
        Known::Is { value, by } => u32::try_from(value)
            .map_or(Known::Not(Why::Impossible), |value| Known::Is { value, by }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell<'a>(text: &'a str, unit: Option<&'a str>) -> Cell<'a> {
        Cell::new(text, unit)
    }

    #[test]
    fn units_stand_in_the_header_or_beside_the_value() {
        assert_eq!(parse_header(" clocks.current.sm [MHz]"), ("clocks.current.sm", Some("MHz")));
        assert_eq!(parse_header("pstate"), ("pstate", None));
        assert_eq!(cell("915 MHz", Some("MHz")).clock_mhz().value(), Some(915));
        assert_eq!(cell("915", Some("MHz")).clock_mhz().value(), Some(915));
        assert_eq!(cell("698.51 W", None).power_mw().value(), Some(698_510));
        assert_eq!(cell("97 %", Some("%")).share().value().map(Share::get), Some(0.97));
        assert_eq!(cell("12", Some("us")).time_ns().value(), Some(12_000));
    }

    #[test]
    fn what_is_not_there_says_why() {
        let not = |text| cell(text, Some("MHz")).clock_mhz();
        assert_eq!(not("[N/A]"), Known::Not(Why::NotApplicable));
        assert_eq!(not("[Not Supported]"), Known::Not(Why::NotApplicable));
        assert_eq!(not("[Insufficient Permissions]"), Known::Not(Why::Denied));
        assert_eq!(not("[Unknown Error]"), Known::Not(Why::Unreadable));
        assert_eq!(not(""), Known::Not(Why::Absent));
        assert_eq!(not("12 W"), Known::Not(Why::Unreadable));
        assert_eq!(not("-5"), Known::Not(Why::Impossible));
        assert_eq!(cell("104", Some("%")).share(), Known::Not(Why::Impossible));
    }

    #[test]
    fn switches_masks_and_states_are_read_as_written() {
        assert_eq!(cell("Not Active", None).switch().value(), Some(false));
        assert_eq!(cell("Active", None).switch().value(), Some(true));
        assert_eq!(cell("maybe", None).switch(), Known::Not(Why::Unreadable));
        let mask = cell("0x0000000000000044", None).mask();
        assert_eq!(mask.value(), Some(Reasons::SW_POWER_CAP.with(Reasons::HW_THERMAL)));
        assert_eq!(cell("P2", None).performance_state().value(), Some(2));
        assert_eq!(cell("-3", None).celsius().value(), Some(-3));
    }
}
