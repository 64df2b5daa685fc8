//! One row of the table: how often an interval held the true value.

use std::fmt;

use trueline_baseline::stats::Random;

/// How often an interval held the true value.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The method.
    pub method: &'static str,
    /// The values that it was given.
    pub data: String,
    /// How many of them.
    pub n: usize,
    /// How often it was tried.
    pub tries: u32,
    /// How often it gave no interval.
    pub refused: u32,
    /// How often the interval lay above the true value.
    pub above: u32,
    /// How often it lay below.
    pub below: u32,
    /// Whether the row is there to show that the method refuses.
    pub refuses: bool,
}

impl Row {
    /// Tries an interval so many times, one after the other from one stream.
    pub fn of(
        (method, data, n): (&'static str, String, usize),
        tries: u32,
        truth: f64,
        mut interval: impl FnMut(&mut Random) -> Option<(f64, f64)>,
    ) -> Self {
        let mut row =
            Self { method, data, n, tries, refused: 0, above: 0, below: 0, refuses: false };
        let mut random = Random::seeded(SEED);
        for _ in 0..tries {
            match interval(&mut random) {
                None => row.refused += 1,
                Some((low, _)) if low > truth => row.above += 1,
                Some((_, high)) if high < truth => row.below += 1,
                Some(_) => {}
            }
        }
        row
    }

    /// The share of the intervals given that held the true value; `None` where none was given.
    pub fn coverage(&self) -> Option<f64> {
        let given = f64::from(self.tries - self.refused);
        (given > 0.0).then(|| 1.0 - f64::from(self.above + self.below) / given)
    }
}

/// The seed of every row.
pub const SEED: u64 = 20_260_101;

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = f64::from(self.tries - self.refused).max(1.0);
        let percent = |times: u32| 100.0 * f64::from(times) / given;
        write!(f, "| {} | {} | {} | ", self.method, self.data, self.n)?;
        match self.coverage() {
            Some(share) => {
                let (above, below) = (percent(self.above), percent(self.below));
                write!(f, "{:.1} % | {above:.1} % / {below:.1} %", 100.0 * share)?;
            }
            None => write!(f, "none | none")?,
        }
        write!(f, " | {:.1} % |", 100.0 * f64::from(self.refused) / f64::from(self.tries))
    }
}
