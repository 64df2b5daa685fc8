//! Trees of `/proc` and `/sys` that a case holds as one file each.

use std::fs;
use std::path::Path;

/// Lays the trees of a case over each other, the first one lowest, and writes what comes of it below
/// a folder.
///
/// # Shape
/// `## path`, then the text of that file; `## path/` for an empty folder, `## - path` for a file or
/// folder that is not there.
pub(super) fn unpack(case: &Path, trees: &[String], to: &Path) -> Result<(), String> {
    for tree in trees {
        let text = fs::read_to_string(case.join(tree)).map_err(|e| format!("{tree}: {e}"))?;
        let (head, files) = text.split_once("## ").ok_or(format!("{tree} holds no file"))?;
        if !head.is_empty() {
            return Err(format!("{tree} begins with {head:?}"));
        }
        for file in files.split("\n## ") {
            lay(file, to).map_err(|e| format!("{tree}: {file}: {e}"))?;
        }
    }
    Ok(())
}

fn lay(file: &str, to: &Path) -> Result<(), std::io::Error> {
    let (path, text) = file.split_once('\n').unwrap_or((file, ""));
    if let Some(gone) = path.strip_prefix("- ") {
        let gone = to.join(gone);
        return if gone.is_dir() { fs::remove_dir_all(gone) } else { fs::remove_file(gone) };
    }
    let at = to.join(path);
    if path.ends_with('/') {
        return fs::create_dir_all(at);
    }
    fs::create_dir_all(at.parent().unwrap_or(to))?;
    // Links are files that hold their target: no line end belongs to it.
    fs::write(at, text.strip_suffix('\n').unwrap_or(text))
}
