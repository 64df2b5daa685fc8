//! Formats of objects on lines, by the names of their keys.

use std::collections::BTreeSet;

use super::{KEYS_SHOWN, LINES, Recognition};
use crate::adapters::{Fit, LOG_FORMATS, LogFormat, OWN, Reads, Table};
use crate::envelope::{self, Keys};
use crate::repair::repair;

/// The first objects.
pub(super) fn head_objects(head: &str) -> Vec<String> {
    head.lines()
        .filter(|line| !line.trim().is_empty())
        .take(LINES)
        .flat_map(|line| {
            let (line, _) = repair(line);
            let found = envelope::open(&line, true, &|_| true);
            found.objects.iter().map(|object| (*object).to_owned()).collect::<Vec<_>>()
        })
        .collect()
}

/// The keys of each of some objects.
pub(super) fn keys_of(objects: &[String]) -> Vec<Vec<String>> {
    let keys = objects.iter().filter_map(|object| serde_json::from_str::<Keys>(object).ok());
    keys.map(|Keys(keys)| keys).collect()
}

/// The format whose keys the first objects have, how many of them have some, and what says so or speaks
/// against it.
pub(super) fn best_of_rows(
    objects: &[String],
    rows: &[Vec<String>],
) -> Option<(usize, Result<Recognition, String>)> {
    let of_rows = LOG_FORMATS.iter().filter_map(|format| match format.reads {
        Reads::Rows { fits } => Some((format, fits, score(&(format.table)(), rows))),
        _ => None,
    });
    let (format, fits, score) = of_rows.max_by_key(|(format, _, score)| {
        // On a tie ours is first: its keys are the plain ones.
        (score.total, format.name == OWN)
    })?;
    if score.most < 2 {
        return None;
    }
    let keys = score.keys.iter().take(KEYS_SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let evidence = format!("its keys: {keys}");
    let found = match fits.map_or(Fit::Silent, |fits| fits(objects)) {
        Fit::Silent => Ok(Recognition::new(format.name, evidence)),
        Fit::Fits(why) => Ok(Recognition::new(format.name, format!("{evidence}; {why}"))),
        // Two keys that many have are no likeness.
        Fit::Misfit(_) if score.most < 3 => return None,
        Fit::Misfit(why) => Err(why),
    };
    Some((score.rows, found))
}

/// The table of another known format, by keys that only it has, among names that a file's own
/// table does not know.
pub(crate) fn other_format<'a>(
    format: &str,
    names: impl Iterator<Item = (&'a str, u64)>,
) -> Option<(&'static str, u64, String)> {
    let others: Vec<Table> = LOG_FORMATS
        .iter()
        .filter(|other| other.name != format)
        .map(|other| (other.table)())
        .collect();
    let mut found: Option<(&'static str, u64, String)> = None;
    for (name, count) in names {
        for other in &others {
            if other.marks.contains(&name)
                && found.as_ref().is_none_or(|(_, most, _)| count > *most)
                && let Ok(format) = LogFormat::named(&other.name)
            {
                found = Some((format.name, count, name.to_owned()));
            }
        }
    }
    found
}

/// How well a table fits some rows.
struct Score {
    /// Known keys over all rows, those that only this format has three times.
    total: usize,
    /// The most known keys of one row.
    most: usize,
    /// Rows with at least two known keys.
    rows: usize,
    keys: BTreeSet<String>,
}

fn score(table: &Table, rows: &[Vec<String>]) -> Score {
    let firsts: BTreeSet<&str> =
        table.fields.iter().filter_map(|f| f.path.split('.').next()).collect();
    let mut score = Score { total: 0, most: 0, rows: 0, keys: BTreeSet::new() };
    for keys in rows {
        let known = keys.iter().filter(|k| firsts.contains(k.as_str()));
        let marks = keys.iter().filter(|k| table.marks.contains(&k.as_str())).count();
        let mut here = 0;
        for key in known {
            here += 1;
            score.keys.insert(key.clone());
        }
        score.total += here + 2 * marks;
        score.most = score.most.max(here);
        score.rows += usize::from(here >= 2);
    }
    score
}
