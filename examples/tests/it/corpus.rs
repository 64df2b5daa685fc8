//! The corpus of real files, where there is one.

use std::fs;
use std::path::{Path, PathBuf};

/// Where it is; without it the tests that read it say that they are skipped.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("TRUELINE_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        #[expect(clippy::print_stderr, reason = "says why nothing was tested")]
        {
            eprintln!("skipped: TRUELINE_CORPUS is not set");
        }
    }
    folder
}

/// The files below some of its folders, by name.
pub(crate) fn files(folder: &Path, below: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    below.iter().for_each(|below| add(folder, below, &mut all));
    all.sort();
    all
}

fn add(folder: &Path, below: &str, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder.join(below)).unwrap().map(Result::unwrap) {
        let name = format!("{below}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            add(folder, &name, all);
        } else {
            all.push(name);
        }
    }
}
