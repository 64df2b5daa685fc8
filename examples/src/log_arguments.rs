//! The arguments of programs that read a request log.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;
use trueline::core::{CellEdges, Tokens, WallTime, Window};
use trueline::logs::{Mapping, Own, ReadOptions};

use crate::arguments::read_text;
use crate::failure::Failure;

/// How to read a request log.
#[derive(Debug, Args)]
pub struct LogArguments {
    /// The log's format, where it is not to be recognised from its content
    #[arg(long, value_name = "NAME")]
    pub request_format: Option<String>,
    /// A mapping file for JSON lines of no known format (docs/mapping-file.md)
    #[arg(long, value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Only requests that started at or after this time (2026-11-05T14:00:00Z, or epoch seconds)
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only requests that started before this time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Which rows are the benchmark's own: an id prefix, or FROM..TO in time
    #[arg(long, value_name = "ID-PREFIX|FROM..TO")]
    pub own: Option<String>,
    /// Prompt-length edges of the cells in tokens, comma-separated; "none" for one bucket
    #[arg(long, value_name = "EDGES")]
    pub prompt_edges: Option<String>,
    /// Hit-share edges of the cells, comma-separated; "none" for one band
    #[arg(long, value_name = "EDGES")]
    pub hit_edges: Option<String>,
    /// Fewest new tokens with which a request enters a rate
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub min_new_tokens: u64,
    /// Threads that read; as many as there are cores where absent
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

impl LogArguments {
    /// Whether any of them was given.
    pub fn is_set(&self) -> bool {
        let texts = [
            &self.request_format,
            &self.since,
            &self.until,
            &self.own,
            &self.prompt_edges,
            &self.hit_edges,
        ];
        texts.iter().any(|text| text.is_some()) || self.mapping.is_some() || self.threads.is_some()
    }

    /// The reader's options.
    ///
    /// # Errors
    /// An edge, time or mapping that cannot be read.
    pub fn options(&self) -> Result<ReadOptions, Failure> {
        let mut options = ReadOptions::default()
            .with_min_new_tokens(Tokens::new(self.min_new_tokens))
            .with_edges(self.edges()?);
        if let Some(format) = &self.request_format {
            options = options.with_format(format);
        }
        if let Some(path) = &self.mapping {
            let file = path.display().to_string();
            options = options.with_mapping(Mapping::parse(&file, &read_text(path)?)?);
        }
        if let Some(since) = &self.since {
            options = options.with_since(time("--since", since)?);
        }
        if let Some(until) = &self.until {
            options = options.with_until(time("--until", until)?);
        }
        match self.threads {
            Some(0) => return Err(Failure::new("--threads: expected at least 1")),
            Some(threads) => options = options.with_threads(threads),
            None => {}
        }
        Ok(options)
    }

    /// The benchmark's own rows, if the arguments name them.
    ///
    /// # Errors
    /// A time that cannot be read.
    pub fn own(&self) -> Result<Option<Own>, Failure> {
        let Some(text) = &self.own else { return Ok(None) };
        match text.split_once("..") {
            Some((from, to)) => {
                let window = Window::new(time("--own", from)?, time("--own", to)?);
                Ok(Some(Own::Window(window)))
            }
            None if text.is_empty() => {
                Err(Failure::new("--own: expected an id prefix or FROM..TO, found nothing"))
            }
            None => Ok(Some(Own::IdPrefix(text.clone()))),
        }
    }

    fn edges(&self) -> Result<CellEdges, Failure> {
        let default = CellEdges::default();
        let prompt = match &self.prompt_edges {
            Some(text) => list("--prompt-edges", text)?,
            None => default.prompt_tokens().to_vec(),
        };
        let hit = match &self.hit_edges {
            Some(text) => list("--hit-edges", text)?,
            None => default.hit_share().to_vec(),
        };
        CellEdges::new(prompt, hit).map_err(Failure::from)
    }
}

fn list<T: std::str::FromStr>(flag: &str, text: &str) -> Result<Vec<T>, Failure> {
    if text == "none" {
        return Ok(Vec::new());
    }
    text.split(',')
        .map(|part| {
            part.trim().parse().map_err(|_| {
                Failure::new(format!("{flag}: expected numbers with commas, found {part:?}"))
            })
        })
        .collect()
}

fn time(flag: &str, text: &str) -> Result<WallTime, Failure> {
    let text = text.trim();
    let epoch = text.parse::<f64>().ok().and_then(WallTime::from_secs_f64);
    let stamp = || {
        let stamp: Timestamp = text.parse().ok()?;
        i64::try_from(stamp.as_nanosecond()).ok().map(WallTime::from_nanos)
    };
    epoch.or_else(stamp).ok_or_else(|| {
        Failure::new(format!(
            "{flag}: expected a time such as 2026-11-05T14:00:00Z or epoch seconds, found {text:?}"
        ))
    })
}
