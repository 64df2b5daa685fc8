//! Arguments that no benchmark can honour.

use super::arguments::Arguments;

/// An argument that cannot be honoured, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Invalid {
    /// The argument as it is given on a command line.
    pub argument: String,
    /// Why it cannot be honoured.
    pub why: &'static str,
}

/// The least that an argument can be; below it there is nothing to run.
const LEAST: &[(&str, f64, &str)] = &[
    ("request_rate", f64::MIN_POSITIVE, "no arrivals can be drawn at such a rate"),
    ("qps", f64::MIN_POSITIVE, "no arrivals can be drawn at such a rate"),
    ("burstiness", f64::MIN_POSITIVE, "a gamma distribution has a shape above 0"),
    ("max_concurrency", 1.0, "no request can be in flight"),
    ("concurrency", 1.0, "no request can be in flight"),
    ("num_concurrent_requests", 1.0, "no request can be in flight"),
    ("num_prompts", 1.0, "there is no request to send"),
    ("request_count", 1.0, "there is no request to send"),
    ("random_input_len", 1.0, "a prompt has a token at least"),
    ("random_output_len", 1.0, "a reply has a token at least"),
];

impl Arguments {
    /// The arguments that no benchmark can honour: a negative rate, nothing in flight, nothing to
    /// send.
    pub fn invalid(&self) -> Vec<Invalid> {
        LEAST
            .iter()
            .filter_map(|(name, least, why)| {
                let value = self.number(name).filter(|value| value < least)?;
                let argument = format!("--{} {value}", name.replace('_', "-"));
                Some(Invalid { argument, why })
            })
            .collect()
    }
}

/// The argument that explains a failure, if one does: what cannot be honoured at all, and what the
/// failure speaks of comes first.
pub(crate) fn explains(arguments: &Arguments, failure: &str) -> Option<String> {
    let invalid = arguments.invalid();
    // numpy draws arrivals with a scale of 1 / rate.
    let speaks_of = |i: &&Invalid| failure.contains("scale") && i.argument.contains("rate");
    let named = invalid.iter().find(speaks_of).or_else(|| invalid.first())?;
    Some(format!("{}: {}", named.argument, named.why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_be_honoured_is_invalid() {
        let of = |pairs: &[(&str, &str)]| {
            let mut arguments = Arguments::default();
            for (name, value) in pairs {
                arguments.set(name, *value);
            }
            arguments
        };
        for healthy in ["inf", "0.5", "4"] {
            assert!(of(&[("--request-rate", healthy)]).invalid().is_empty(), "{healthy}");
        }
        for bad in ["-1", "0", "-0.5"] {
            assert_eq!(of(&[("--request-rate", bad)]).invalid().len(), 1, "{bad}");
        }
        let both = of(&[("max-concurrency", "0"), ("request_rate", "-1.0")]);
        assert_eq!(
            explains(&both, "ValueError: scale < 0").unwrap(),
            "--request-rate -1: no arrivals can be drawn at such a rate"
        );
        assert_eq!(explains(&of(&[("request_rate", "inf")]), "ValueError: scale < 0"), None);
    }
}
