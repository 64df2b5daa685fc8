//! Lists of processors as the kernel writes them: `0-3,8`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// No machine has more; a larger number in a list is a mistake.
const MOST: u32 = 1 << 16;

/// Processors by number.
///
/// # Examples
/// ```
/// use trueline_host::processes::CpuList;
/// let cpus: CpuList = "0-3,8".parse().unwrap();
/// assert_eq!(cpus.len(), 5);
/// assert_eq!(cpus.to_string(), "0-3,8");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CpuList(BTreeSet<u32>);

/// A text that is no list of processors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected processors such as 0-3,8, found {0:?}")]
pub struct CpuListError(String);

impl CpuList {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a processor is among them.
    pub fn contains(&self, cpu: u32) -> bool {
        self.0.contains(&cpu)
    }

    /// Those that are in both.
    #[must_use]
    pub fn shared(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).copied().collect())
    }

    /// Those that are in either.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0).copied().collect())
    }

    /// Their numbers in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }
}

impl FromIterator<u32> for CpuList {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        Self(cpus.into_iter().collect())
    }
}

impl FromStr for CpuList {
    type Err = CpuListError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || CpuListError(text.to_owned());
        let mut cpus = BTreeSet::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let from: u32 = from.parse().map_err(|_| wrong())?;
            let to: u32 = to.parse().map_err(|_| wrong())?;
            if from > to || to >= MOST {
                return Err(wrong());
            }
            cpus.extend(from..=to);
        }
        Ok(Self(cpus))
    }
}

impl TryFrom<String> for CpuList {
    type Error = CpuListError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<CpuList> for String {
    fn from(cpus: CpuList) -> Self {
        cpus.to_string()
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<(u32, u32)> = Vec::new();
        for cpu in self.iter() {
            match parts.last_mut() {
                Some((_, to)) if *to + 1 == cpu => *to = cpu,
                _ => parts.push((cpu, cpu)),
            }
        }
        let words = parts
            .iter()
            .map(|(from, to)| if from == to { from.to_string() } else { format!("{from}-{to}") });
        f.write_str(&words.collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written_as_the_kernel_writes_them() {
        for text in ["0-1", "0", "0-3,8", "0-7,16-23", ""] {
            assert_eq!(text.parse::<CpuList>().unwrap().to_string(), text);
        }
        for bad in ["a", "3-1", "0-", "0-99999999", "-1"] {
            assert!(bad.parse::<CpuList>().is_err(), "{bad}");
        }
    }

    #[test]
    fn what_two_lists_share_and_hold_together() {
        let (a, b): (CpuList, CpuList) = ("0-3".parse().unwrap(), "2-5".parse().unwrap());
        assert_eq!(
            (a.shared(&b).to_string(), a.joined(&b).to_string()),
            ("2-3".into(), "0-5".into())
        );
        assert_eq!(serde_json::to_string(&a).unwrap(), "\"0-3\"");
    }
}
