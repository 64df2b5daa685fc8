//! Paths as people give them: a file, a folder, a glob.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The files that some paths name, sorted within each folder and glob; `-` stays as it is.
///
/// # Errors
/// A path that names nothing, a pattern that cannot be read.
pub fn expand(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let text = path.to_string_lossy();
        if path == Path::new("-") {
            files.push(path.clone());
        } else if path.is_dir() {
            let before = files.len();
            folder(path, &mut files)?;
            if files.len() == before {
                return Err(Failure::new(format!("{text}: expected files, found an empty folder")));
            }
        } else if !path.exists() && text.contains(['*', '?', '[']) {
            let matches =
                glob::glob(&text).map_err(|e| Failure::new(format!("{text}: {}", e.msg)))?;
            let mut found: Vec<PathBuf> =
                matches.filter_map(Result::ok).filter(|p| p.is_file()).collect();
            if found.is_empty() {
                return Err(Failure::new(format!("{text}: expected files, found none that match")));
            }
            found.sort();
            files.append(&mut found);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// The files of a folder and of those below it, by name; hidden ones are left out.
fn folder(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let entries = std::fs::read_dir(path)
        .map_err(|e| Failure::new(format!("{}: cannot be read: {e}", path.display())))?;
    let mut below: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|e| !e.file_name().to_string_lossy().starts_with('.'))
        // A link to a folder could lead round in a circle.
        .filter(|e| e.file_type().is_ok_and(|t| !t.is_symlink() || e.path().is_file()))
        .map(|e| e.path())
        .collect();
    below.sort();
    for path in below {
        if path.is_dir() {
            folder(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
