//! Whether intervals hold what they say, counted on made-up values whose truth is known.

mod arms;
mod data;
mod intervals;
mod row;

pub use arms::{Arms, arms};
pub use data::Data;
pub use intervals::intervals;
pub use row::{Row, SEED};

/// How much to count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// How often each row is tried.
    pub tries: u32,
    /// How many samples a bootstrap draws.
    pub replicates: usize,
    /// The most values that a row may take; rows of more are left out.
    pub most: usize,
}

impl Effort {
    /// What the published table is counted with.
    pub const FULL: Self = Self { tries: 10_000, replicates: 999, most: usize::MAX };

    /// Enough to see that a method broke.
    pub const QUICK: Self = Self { tries: 250, replicates: 99, most: 130 };
}

/// The tables as Markdown.
pub fn table(effort: Effort) -> String {
    let mut text = format!(
        "{} tries a row, {} samples a bootstrap, seed {SEED}. “Above / below”: the interval lay \
         wholly above or below the true value.\n\n\
         | 95 % interval | values | n | holds it | above / below | refused |\n\
         | --- | --- | --- | --- | --- | --- |\n",
        effort.tries, effort.replicates
    );
    for row in intervals(effort) {
        text += &format!("{row}\n");
    }
    text += "\n| two arms | differ by | called different |\n| --- | --- | --- |\n";
    for row in arms(effort) {
        text += &format!("{row}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four standard errors of a share of 95 % counted 250 times are 5.5 points.
    #[test]
    fn every_interval_holds_the_truth_about_as_often_as_it_says() {
        let rows = intervals(Effort::QUICK);
        assert!(rows.len() > 15);
        for row in rows {
            match row.coverage() {
                Some(share) => assert!(share > 0.93 - 0.055, "{row}"),
                None => assert!(row.refuses, "{row}"),
            }
        }
    }

    /// Four standard errors: 5.5 points about 5 %, 12.6 about 53 %, 10 about 80 %.
    #[test]
    fn pooled_requests_differ_from_themselves_and_runs_do_not() {
        let rows = arms(Effort::QUICK);
        let share = |method| {
            let row = rows.iter().find(|row| row.method == method).expect("the row is there");
            f64::from(row.called) / f64::from(row.tries)
        };
        assert!(share(arms::RUNS_ALIKE) <= 0.06 + 0.055);
        assert!(share(arms::POOLED_ALIKE) >= 0.40);
        assert!(share(arms::RUNS_APART) >= 0.80 - 0.10);
    }
}
