//! Sets of processors as the kernel writes them: `0-3,8`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// No machine has more; a longer list is no list.
const MOST: u32 = 1 << 16;

/// A set of processors or nodes.
///
/// # Shape
/// Written as the kernel does: `0-3,8`. The empty text is the empty set.
///
/// # Examples
/// ```
/// use trueline_host::CpuList;
/// let cpus: CpuList = "0-3,8".parse().unwrap();
/// assert_eq!((cpus.len(), cpus.to_string()), (5, "0-3,8".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct CpuList(BTreeSet<u32>);

/// Why a text is no list of processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a list of processors such as 0-3,8")]
pub struct CpuListError;

impl CpuList {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
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

    /// All of them, rising.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
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

    fn from_str(text: &str) -> Result<Self, CpuListError> {
        let mut cpus = BTreeSet::new();
        for range in text.trim().split(',').filter(|range| !range.is_empty()) {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let first: u32 = first.trim().parse().map_err(|_| CpuListError)?;
            let last: u32 = last.trim().parse().map_err(|_| CpuListError)?;
            if last >= MOST || last < first {
                return Err(CpuListError);
            }
            cpus.extend(first..=last);
        }
        Ok(Self(cpus))
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for cpu in self.iter() {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == cpu => *last = cpu,
                _ => ranges.push((cpu, cpu)),
            }
        }
        for (i, (first, last)) in ranges.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{first}")?;
            if first != last {
                write!(f, "-{last}")?;
            }
        }
        Ok(())
    }
}

impl From<CpuList> for String {
    fn from(cpus: CpuList) -> Self {
        cpus.to_string()
    }
}

impl TryFrom<String> for CpuList {
    type Error = CpuListError;

    fn try_from(text: String) -> Result<Self, CpuListError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_reads_and_writes_as_the_kernel_does() {
        for (text, len) in [("0-1", 2), ("0-3,8,10-11", 7), ("5", 1), ("", 0)] {
            let cpus: CpuList = text.parse().unwrap();
            assert_eq!((cpus.len(), cpus.to_string().as_str()), (len, text));
        }
        for bad in ["a", "3-1", "0-4294967295", "0--1"] {
            assert_eq!(bad.parse::<CpuList>(), Err(CpuListError), "{bad}");
        }
    }
}
