//! Reads result files: which format, which runs.

use std::io::Read;
use std::path::Path;

use trueline_core::Outcomes;

use super::drafts::Drafts;
use super::format::{RESULT_FORMATS, Reader, ResultFormat};
use super::input::Input;
use super::node::Node;
use super::own;
use super::{Part, ResultRun};
use crate::{Error, ErrorKind};

/// What one file holds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ResultFile {
    /// What it is called.
    pub name: String,
    /// Its runs, in their order.
    pub runs: Vec<ResultRun>,
    /// What a tool writes beside its results and that holds none, by the names of its formats. A
    /// file of nothing else has no runs.
    pub beside: Vec<&'static str>,
    /// Documents of no known format: the line each begins on.
    pub strange: Vec<usize>,
    /// Lines that begin like a document and are none.
    pub broken: Vec<usize>,
    /// Why the file ends early, if it does.
    pub truncated: Option<String>,
    /// What reading it found.
    pub outcomes: Outcomes,
}

/// Reads the results of a file.
///
/// # Errors
/// A file that is missing, may not be read, is empty, binary, too large, or of no known format.
pub fn read_results(path: &Path) -> Result<ResultFile, Error> {
    let label = match path.file_stem() {
        _ if path.as_os_str() == "-" => "input".to_owned(),
        stem => stem.map_or_else(String::new, |s| s.to_string_lossy().into_owned()),
    };
    from_input(&Input::open(path)?, &label)
}

/// Reads results from anything that yields bytes; the runs are called `name`.
///
/// # Errors
/// As [`read_results`].
pub fn read_results_from(name: &str, from: impl Read + Send) -> Result<ResultFile, Error> {
    from_input(&Input::from_reader(name, from)?, name)
}

/// A format with the runs read of it, and why it was taken for it.
struct OfFormat {
    format: &'static ResultFormat,
    evidence: String,
    drafts: Drafts,
}

fn from_input(input: &Input, label: &str) -> Result<ResultFile, Error> {
    if own::is(input) {
        return own::read(input, label);
    }
    let mut found: Vec<OfFormat> = Vec::new();
    let mut strange = Vec::new();
    let mut beside = Vec::new();
    for (line, node, part) in input.documents() {
        if document(&node, part, label, &mut found) {
            continue;
        }
        match known_beside(&node) {
            Some(name) if beside.contains(&name) => {}
            Some(name) => beside.push(name),
            None => strange.push(line),
        }
    }
    if !input.has_documents() {
        for node in super::yaml::documents(input) {
            document(&node, Part::Alone, label, &mut found);
        }
    }
    for format in RESULT_FORMATS {
        if let Reader::Text { is, read } = format.reader
            && let Some(evidence) = is(input)
        {
            let mut drafts = Drafts::new(label);
            read(input, &mut drafts);
            found.push(OfFormat { format, evidence, drafts });
        }
    }
    mark_embedded(&mut found);
    let mut runs: Vec<ResultRun> = Vec::new();
    for of in found {
        runs.extend(of.drafts.runs.into_iter().map(|d| d.finish(of.format, &of.evidence)));
    }
    if let (true, Some(why)) = (runs.is_empty(), &input.truncated) {
        return Err(Error::cut(&input.name, why));
    }
    if runs.is_empty() && beside.is_empty() {
        return Err(Error::new(
            ErrorKind::UnknownFormat,
            &input.name,
            format!("expected results of a benchmark tool ({}), found none", tools()),
        ));
    }
    name_apart(&mut runs, label);
    for run in &mut runs {
        run.run.source = Some(input.name.clone());
    }
    Ok(ResultFile {
        name: input.name.clone(),
        runs,
        beside,
        strange,
        broken: input.broken.clone(),
        truncated: input.truncated.clone(),
        outcomes: Outcomes::default(),
    })
}

/// Marks documents of a tool that stand inside its own console.
fn mark_embedded(found: &mut [OfFormat]) {
    let is_text = |of: &OfFormat| matches!(of.format.reader, Reader::Text { .. });
    let consoles: Vec<&str> =
        found.iter().filter(|of| is_text(of)).map(|of| of.format.tool).collect();
    for of in found.iter_mut().filter(|of| !is_text(of) && consoles.contains(&of.format.tool)) {
        for draft in &mut of.drafts.runs {
            draft.part = Part::InConsole;
        }
    }
}

/// Reads one document by the first format that it fits; whether there is one.
fn document(node: &Node, part: Part, label: &str, found: &mut Vec<OfFormat>) -> bool {
    let Some(map) = node.map() else { return false };
    let fits = |format: &ResultFormat| match format.reader {
        Reader::Documents { is, .. } => is(map),
        Reader::Text { .. } | Reader::Beside { .. } => None,
    };
    let recognised = RESULT_FORMATS.iter().find_map(|f| fits(f).map(|why| (*f, why)));
    let Some((format, evidence)) = recognised else { return false };
    let Reader::Documents { read, .. } = format.reader else { return false };
    let at = found.iter().position(|of| of.format == format).unwrap_or_else(|| {
        found.push(OfFormat { format, evidence, drafts: Drafts::new(label) });
        found.len() - 1
    });
    if let Some(of) = found.get_mut(at) {
        let before = of.drafts.runs.len();
        read(map, &mut of.drafts);
        for draft in of.drafts.runs.iter_mut().skip(before).filter(|d| d.part == Part::Alone) {
            draft.part = part;
        }
    }
    true
}

/// The format of a document that a tool writes beside its results, if it is one.
fn known_beside(node: &Node) -> Option<&'static str> {
    let map = node.map()?;
    RESULT_FORMATS.iter().find_map(|format| match format.reader {
        Reader::Beside { is } => is(map).map(|_| format.name),
        Reader::Documents { .. } | Reader::Text { .. } => None,
    })
}

/// Gives runs of one file labels of their own.
fn name_apart(runs: &mut [ResultRun], label: &str) {
    if let [only] = runs {
        label.clone_into(&mut only.run.label);
        return;
    }
    for (i, run) in runs.iter_mut().enumerate() {
        run.run.label = format!("{label}#{}", i + 1);
    }
}

fn tools() -> String {
    let mut tools: Vec<&str> = RESULT_FORMATS.iter().map(|f| f.tool).collect();
    tools.sort_unstable();
    tools.dedup();
    tools.join(", ")
}
