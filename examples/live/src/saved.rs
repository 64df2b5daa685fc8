//! Where a measurement is saved: every request in one file, the host meanwhile in another beside it.

use std::fs::{File, OpenOptions};
use std::io::{self, LineWriter, Write};
use std::path::{Path, PathBuf};

use trueline::host::HostRecord;
use trueline_examples::failure::Failure;

/// The files of one measurement. Neither may be there yet: what somebody measured before is not written
/// over.
#[derive(Debug)]
pub struct Saved {
    requests: PathBuf,
    host: PathBuf,
}

impl Saved {
    /// Makes the file of the requests, which are written to it one by one. The host's record will stand in
    /// `run.host.json` for `run.jsonl`.
    ///
    /// # Errors
    /// A file that is there already or cannot be made.
    pub fn at(path: &Path) -> Result<(Self, LineWriter<File>), Failure> {
        let host = path.with_extension("host.json");
        if host.exists() {
            return Err(Failure::new(format!(
                "--save {}: expected no {} yet",
                path.display(),
                host.display()
            )));
        }
        let file = new(path).map_err(|e| {
            Failure::new(format!("--save {}: expected a new file: {e}", path.display()))
        })?;
        Ok((Self { requests: path.to_owned(), host }, LineWriter::new(file)))
    }

    /// Writes the host's record, if there is one. What was saved, in words.
    ///
    /// # Errors
    /// A record that cannot be written, in words.
    pub fn finish(&self, record: Option<&HostRecord>) -> Result<String, String> {
        let (requests, host) = (self.requests.display(), self.host.display());
        let Some(record) = record else { return Ok(format!("Saved: {requests}.")) };
        new(&self.host)
            .and_then(|mut file| file.write_all((record.to_json() + "\n").as_bytes()))
            .map_err(|e| format!("Not saved: the host meanwhile, in {host}: {e}."))?;
        Ok(format!("Saved: {requests}, and the host meanwhile in {host}."))
    }
}

fn new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_over_and_nothing_empty_is_left() {
        let name = format!("trueline-saved-{}.jsonl", std::process::id());
        let path = std::env::temp_dir().join(name);
        let host = path.with_extension("host.json");
        std::fs::write(&host, "{}").unwrap();
        assert!(Saved::at(&path).unwrap_err().to_string().contains("host.json"));
        assert!(!path.exists());
        std::fs::remove_file(&host).unwrap();
        let (saved, _) = Saved::at(&path).unwrap();
        assert!(Saved::at(&path).is_err() && path.exists());
        assert_eq!(saved.finish(None), Ok(format!("Saved: {}.", path.display())));
        assert!(!host.exists(), "no record, no file");
        std::fs::remove_file(path).unwrap();
    }
}
