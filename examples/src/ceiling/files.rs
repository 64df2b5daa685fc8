//! The description of a model, from the files that people have of it.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use trueline_roofline::Model;

use crate::failure::Failure;
use crate::paths::expand;

/// More than any configuration holds.
const MOST_TEXT: u64 = 16 << 20;

/// What the first bytes of a file show.
enum Content {
    Gguf,
    Safetensors,
    Json(String),
}

/// Files of one model by what they hold.
#[derive(Default)]
struct Sorted {
    config: Option<(PathBuf, String)>,
    quantisation: Option<String>,
    safetensors: Vec<PathBuf>,
    gguf: Vec<PathBuf>,
}

/// Reads the model that some files describe: a `config.json`, safetensors files, GGUF files, a folder of them.
///
/// # Errors
/// No file, one that cannot be read or is of no known kind, two descriptions of layers, a model that the
/// readers refuse.
pub(crate) fn read_model(paths: &[PathBuf]) -> Result<Model, Failure> {
    let mut sorted = Sorted::default();
    for path in paths {
        let files =
            if path.is_dir() { of_folder(path)? } else { expand(std::slice::from_ref(path))? };
        for file in files {
            sorted.take(file)?;
        }
    }
    sorted.model()
}

/// The files of a model in a folder, not in those below it.
fn of_folder(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(path).map_err(|e| at(path, &e))?;
    let files = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.is_file() && is_of_a_model(file)).collect();
    files.sort();
    if files.is_empty() {
        return Err(Failure::new(format!(
            "{}: expected a folder with config.json, .safetensors or .gguf files, found none of them",
            path.display()
        )));
    }
    Ok(files)
}

/// Whether a file of a folder belongs to the model rather than to its tokenizer or its pictures.
fn is_of_a_model(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    matches!(name.as_str(), "config.json" | "hf_quant_config.json")
        || name.ends_with(".safetensors")
        || name.ends_with(".gguf")
}

impl Sorted {
    fn take(&mut self, path: PathBuf) -> Result<(), Failure> {
        match content(&path)? {
            Content::Gguf => self.gguf.push(path),
            Content::Safetensors => self.safetensors.push(path),
            Content::Json(text) if is_quantisation(&text) => self.quantisation = Some(text),
            Content::Json(text) => {
                if let Some((first, _)) = &self.config {
                    return Err(Failure::new(format!(
                        "expected one config.json, found {} and {}",
                        first.display(),
                        path.display()
                    )));
                }
                // NVIDIA Model Optimizer says beside the configuration how weights are stored.
                let beside = path.with_file_name("hf_quant_config.json");
                if self.quantisation.is_none() && path != Path::new("-") && beside.is_file() {
                    self.take(beside)?;
                }
                self.config = Some((path, text));
            }
        }
        Ok(())
    }

    fn model(self) -> Result<Model, Failure> {
        let header = match (self.gguf.as_slice(), self.safetensors.as_slice()) {
            ([], []) => None,
            ([], files) => Some(of_files(files, Model::from_safetensors_headers)?),
            (files, []) => Some(of_files(files, Model::from_gguf_headers)?),
            ([gguf, ..], [other, ..]) => {
                return Err(Failure::new(format!(
                    "expected files of one kind, found {} and {}",
                    gguf.display(),
                    other.display()
                )));
            }
        };
        let config = match (&self.config, &self.quantisation) {
            (Some((path, text)), beside) => {
                let read = match beside {
                    Some(beside) => Model::from_hf_config_quantised(text, beside),
                    None => Model::from_hf_config(text),
                };
                Some(read.map_err(|e| at(path, &e))?)
            }
            (None, Some(_)) => {
                return Err(Failure::new(
                    "expected the config.json beside hf_quant_config.json, found none",
                ));
            }
            (None, None) => None,
        };
        match (config, header) {
            (Some(config), Some(header)) => Ok(config.with_tensors_of(header)),
            (Some(model), None) | (None, Some(model)) => Ok(model),
            (None, None) => Err(Failure::new(
                "--model-config: expected a config.json, .safetensors or .gguf file, found none",
            )),
        }
    }
}

fn of_files<E: std::error::Error>(
    files: &[PathBuf],
    read: impl FnOnce(Vec<BufReader<File>>) -> Result<Model, E>,
) -> Result<Model, Failure> {
    let readers: Result<Vec<_>, Failure> =
        files.iter().map(|path| Ok(BufReader::new(open(path)?))).collect();
    read(readers?).map_err(|e| files.first().map_or_else(|| Failure::new(""), |path| at(path, &e)))
}

/// What a file holds, by its first bytes.
fn content(path: &Path) -> Result<Content, Failure> {
    if path == Path::new("-") {
        return json(path, std::io::stdin().lock());
    }
    let mut file = open(path)?;
    let mut head = Vec::new();
    file.by_ref().take(16).read_to_end(&mut head).map_err(|e| at(path, &e))?;
    if head.starts_with(b"GGUF") {
        return Ok(Content::Gguf);
    }
    // Eight bytes of length come first, then JSON.
    if head.get(8) == Some(&b'{') && head.get(6..8) == Some(&[0, 0]) {
        return Ok(Content::Safetensors);
    }
    file.rewind().map_err(|e| at(path, &e))?;
    json(path, file)
}

fn json(path: &Path, reader: impl Read) -> Result<Content, Failure> {
    let mut bytes = Vec::new();
    reader.take(MOST_TEXT + 1).read_to_end(&mut bytes).map_err(|e| at(path, &e))?;
    let is_json = bytes.trim_ascii_start().starts_with(b"{");
    match String::from_utf8(bytes) {
        Ok(text) if is_json && text.len() as u64 <= MOST_TEXT => Ok(Content::Json(text)),
        _ => Err(Failure::new(format!(
            "{}: expected a config.json, .safetensors or .gguf file, found another",
            path.display()
        ))),
    }
}

/// Whether a text is NVIDIA Model Optimizer's `hf_quant_config.json`, which names no model.
fn is_quantisation(text: &str) -> bool {
    text.contains("\"quantization\"") && !text.contains("\"model_type\"")
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|e| at(path, &e))
}

fn at(path: &Path, error: &dyn std::error::Error) -> Failure {
    let mut text = error.to_string();
    if let Some(source) = error.source().filter(|source| !text.contains(&source.to_string())) {
        text += &format!(": {source}");
    }
    Failure::new(format!("{}: {text}", path.display()))
}
