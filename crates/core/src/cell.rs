//! Cells of prompt length and cache-hit share: the only places where a prefill rate stands.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Share, Tokens};

/// The edges of the cells. A value on an edge belongs to the upper cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawEdges", into = "RawEdges")]
pub struct CellEdges {
    prompt_tokens: Vec<u64>,
    hit_share: Vec<f64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct RawEdges {
    prompt_tokens: Vec<u64>,
    hit_share: Vec<f64>,
}

/// Edges that cannot divide anything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {0}")]
pub struct EdgesError(&'static str);

impl TryFrom<RawEdges> for CellEdges {
    type Error = EdgesError;

    fn try_from(raw: RawEdges) -> Result<Self, EdgesError> {
        Self::new(raw.prompt_tokens, raw.hit_share)
    }
}

impl From<CellEdges> for RawEdges {
    fn from(edges: CellEdges) -> Self {
        Self { prompt_tokens: edges.prompt_tokens, hit_share: edges.hit_share }
    }
}

impl Default for CellEdges {
    fn default() -> Self {
        Self {
            prompt_tokens: vec![1_000, 4_000, 8_000, 20_000, 32_000, 64_000, 128_000],
            hit_share: vec![0.05, 0.5, 0.9, 0.97, 0.99],
        }
    }
}

impl CellEdges {
    /// Edges of one's own.
    ///
    /// # Errors
    /// Edges must rise strictly; prompt edges above 0, hit-share edges between 0 and 1; at most
    /// 250 of each.
    pub fn new(prompt_tokens: Vec<u64>, hit_share: Vec<f64>) -> Result<Self, EdgesError> {
        if prompt_tokens.len() > 250 || hit_share.len() > 250 {
            return Err(EdgesError("at most 250 edges"));
        }
        let rising = prompt_tokens.windows(2).all(|w| matches!(w, [a, b] if a < b));
        if !rising || prompt_tokens.first() == Some(&0) {
            return Err(EdgesError("prompt-length edges above 0 that rise"));
        }
        let inside = hit_share.iter().all(|&e| e > 0.0 && e < 1.0);
        if !inside || !hit_share.windows(2).all(|w| matches!(w, [a, b] if a < b)) {
            return Err(EdgesError("hit-share edges between 0 and 1 that rise"));
        }
        Ok(Self { prompt_tokens, hit_share })
    }

    /// The prompt-length edges in tokens, rising.
    pub fn prompt_tokens(&self) -> &[u64] {
        &self.prompt_tokens
    }

    /// The hit-share edges, rising.
    pub fn hit_share(&self) -> &[f64] {
        &self.hit_share
    }

    /// The cell of a request.
    pub fn cell(&self, prompt: Tokens, hit: Share) -> Cell {
        Cell { bucket: self.bucket(prompt), hit: self.hit_band(hit) }
    }

    /// The prompt-length bucket of a request.
    pub fn bucket(&self, prompt: Tokens) -> Bucket {
        let at = self.prompt_tokens.partition_point(|&edge| edge <= prompt.get());
        let low = at.checked_sub(1).and_then(|i| self.prompt_tokens.get(i).copied()).unwrap_or(0);
        Bucket { low, high: self.prompt_tokens.get(at).copied() }
    }

    /// The hit-share band of a request.
    pub fn hit_band(&self, hit: Share) -> HitBand {
        let at = self.hit_share.partition_point(|&edge| edge <= hit.get());
        let edge = |i: usize| self.hit_share.get(i).copied().map(basis_points);
        HitBand {
            low: at.checked_sub(1).and_then(edge).unwrap_or(0),
            high: edge(at).unwrap_or(10_000),
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "edges lie between 0 and 1"
)]
fn basis_points(share: f64) -> u32 {
    (share * 10_000.0).round() as u32
}

/// A stretch of prompt lengths, low edge inside, high edge outside; no high edge at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Bucket {
    /// Lowest prompt length in tokens.
    pub low: u64,
    /// First prompt length above it, if it ends.
    pub high: Option<u64>,
}

impl Bucket {
    /// Whether a prompt of this length lies in it.
    pub fn holds(&self, prompt: Tokens) -> bool {
        prompt.get() >= self.low && self.high.is_none_or(|high| prompt.get() < high)
    }

    /// Whether the two share a prompt length.
    pub fn overlaps(&self, other: &Self) -> bool {
        other.high.is_none_or(|high| self.low < high) && self.high.is_none_or(|h| other.low < h)
    }
}

fn thousands(tokens: u64) -> String {
    if tokens >= 1_000 && tokens.is_multiple_of(1_000) {
        format!("{}k", tokens / 1_000)
    } else {
        tokens.to_string()
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low, self.high) {
            (0, None) => f.write_str("all lengths"),
            (0, Some(high)) => write!(f, "under {} tokens", thousands(high)),
            (low, None) => write!(f, "{} tokens and up", thousands(low)),
            (low, Some(high)) if low.is_multiple_of(1_000) && high.is_multiple_of(1_000) => {
                write!(f, "{}–{}k tokens", low / 1_000, high / 1_000)
            }
            (low, Some(high)) => write!(f, "{}–{} tokens", thousands(low), thousands(high)),
        }
    }
}

/// A stretch of hit shares in basis points, low edge inside.
///
/// # Units
/// Hundredths of a percent, 0 to 10,000, so that bands compare and sort exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HitBand {
    /// Low edge.
    pub low: u32,
    /// High edge; 10,000 at the top.
    pub high: u32,
}

impl fmt::Display for HitBand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |bp: u32| {
            if bp.is_multiple_of(100) {
                (bp / 100).to_string()
            } else {
                format!("{}", f64::from(bp) / 100.0)
            }
        };
        write!(f, "{}–{} % cached", percent(self.low), percent(self.high))
    }
}

/// A cell: prompts of like length with like hit share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// Prompt lengths.
    pub bucket: Bucket,
    /// Hit shares.
    pub hit: HitBand,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.bucket, self.hit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(prompt: u64, cached: u64) -> Cell {
        let hit = Share::of(Tokens::new(cached), Tokens::new(prompt)).unwrap();
        CellEdges::default().cell(Tokens::new(prompt), hit)
    }

    #[test]
    fn the_low_edge_is_inside() {
        assert_eq!(cell(20_000, 1_000).to_string(), "20–32k tokens, 5–50 % cached");
        assert_eq!(cell(19_999, 999).to_string(), "8–20k tokens, 0–5 % cached");
        assert_eq!(cell(128_000, 128_000).to_string(), "128k tokens and up, 99–100 % cached");
        assert_eq!(cell(999, 0).to_string(), "under 1k tokens, 0–5 % cached");
        assert_eq!(cell(47_556, 47_351).to_string(), "32–64k tokens, 99–100 % cached");
    }

    #[test]
    fn edges_that_do_not_rise_are_refused() {
        for (p, h) in [(vec![5, 5], vec![]), (vec![0, 5], vec![]), (vec![], vec![0.5, 0.4])] {
            assert!(CellEdges::new(p, h).is_err());
        }
        assert!(CellEdges::new(vec![], vec![f64::NAN]).is_err());
        let one = CellEdges::new(vec![], vec![]).unwrap();
        assert_eq!(one.bucket(Tokens::new(7)).to_string(), "all lengths");
    }

    #[test]
    fn buckets_overlap_only_with_a_length_in_common() {
        let b = |low, high| Bucket { low, high };
        assert!(b(0, Some(10)).overlaps(&b(9, None)));
        assert!(!b(0, Some(10)).overlaps(&b(10, None)));
        assert!(b(5, None).overlaps(&b(100, None)));
    }
}
