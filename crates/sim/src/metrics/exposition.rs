//! Prometheus text in the making.

use std::fmt::Write;

/// What a metric is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A text of metrics in which numbers are written in one way.
#[derive(Debug)]
pub(super) struct Exposition {
    text: String,
    number: fn(f64) -> String,
}

impl Exposition {
    pub(super) const fn new(number: fn(f64) -> String) -> Self {
        Self { text: String::new(), number }
    }

    /// Says what a metric is.
    pub(super) fn declare(&mut self, name: &str, kind: Kind, help: &str) {
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {}", kind.name());
    }

    /// One sample; `labels` is empty or in braces.
    pub(super) fn sample(&mut self, name: &str, labels: &str, value: f64) {
        let _ = writeln!(self.text, "{name}{labels} {}", (self.number)(value));
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}
