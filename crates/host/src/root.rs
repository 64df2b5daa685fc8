//! Where `/proc` and `/sys` are: on this machine, or in a captured tree.

use std::cell::RefCell;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use trueline_core::{By, Known, Why};

/// No file that is read here is longer; what goes on beyond is left unread.
const MOST_BYTES: u64 = 4 << 20;

/// Where a captured tree says what could not be read when it was taken.
const UNREAD: &str = "trueline/unread.txt";

/// Where `/proc` and `/sys` are found.
///
/// Every reader takes one, so that a tree captured on another machine replays here.
///
/// # Shape
/// Paths are relative to the root: `proc/stat`, `sys/devices/system/cpu/online`.
///
/// # Examples
/// ```
/// use trueline_host::Root;
/// let nowhere = Root::at("no/such/folder");
/// assert!(nowhere.text("proc/stat").is_err());
/// ```
#[derive(Debug, Clone)]
pub struct Root {
    base: PathBuf,
    live: bool,
    /// What a captured tree says could not be read.
    unread: Vec<(String, Why)>,
    /// Where what is read is written as well.
    copy: Option<Copy>,
}

#[derive(Debug, Clone)]
struct Copy {
    to: PathBuf,
    unread: RefCell<Vec<(String, Why)>>,
}

impl Root {
    /// This machine.
    pub fn live() -> Self {
        Self { base: PathBuf::from("/"), live: true, unread: Vec::new(), copy: None }
    }

    /// A captured tree: `proc/…` and `sys/…` below a folder.
    pub fn at(base: impl Into<PathBuf>) -> Self {
        let base = base.into();
        let said = fs::read_to_string(base.join(UNREAD)).unwrap_or_default();
        let unread = said.lines().filter_map(parse_unread).collect();
        Self { base, live: false, unread, copy: None }
    }

    /// The same, writing everything that is read below `folder` as well.
    #[must_use]
    pub fn copying_to(mut self, folder: impl Into<PathBuf>) -> Self {
        self.copy = Some(Copy { to: folder.into(), unread: RefCell::default() });
        self
    }

    /// Whether this is the machine itself, whose clocks and calls can be asked as well.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// Whether what is read is copied.
    pub(crate) fn is_copied(&self) -> bool {
        self.copy.is_some()
    }

    /// Writes down, below the folder of a copy, what could not be read.
    ///
    /// # Errors
    /// A folder that cannot be written to.
    pub fn finish_copy(&self) -> Result<(), std::io::Error> {
        let Some(copy) = &self.copy else { return Ok(()) };
        let mut lines: Vec<String> = copy
            .unread
            .borrow()
            .iter()
            .filter(|(_, why)| *why != Why::Absent)
            .map(|(path, why)| format!("{} {path}\n", word(*why)))
            .collect();
        lines.sort();
        lines.dedup();
        write_below(&copy.to, UNREAD, lines.concat().as_bytes())
    }

    /// The text of a file, without outer blanks.
    ///
    /// # Errors
    /// Why it cannot be read: absent, no permission, unreadable.
    pub fn text(&self, path: &str) -> Result<String, Why> {
        let read = self.bytes(path).map(text);
        if let Err(why) = read {
            self.note(path, why);
        }
        read
    }

    /// The bytes of a file, outer blanks and zero bytes included.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn bytes(&self, path: &str) -> Result<Vec<u8>, Why> {
        if let Some((_, why)) = self.unread.iter().find(|(denied, _)| denied == path) {
            return Err(*why);
        }
        // Most files fit: they come in one call, and so from one moment.
        let mut bytes = Vec::with_capacity(4096);
        let file = fs::File::open(self.base.join(path)).map_err(|e| why(&e))?;
        file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(|e| why(&e))?;
        if let Some(copy) = &self.copy {
            // A copy that fails shows when it is read: the file is absent there.
            let _ = write_below(&copy.to, path, &bytes);
        }
        Ok(bytes)
    }

    /// The bytes of a file that holds what nobody should keep; a copy gets what `keep` leaves.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn bytes_keeping(
        &self,
        path: &str,
        keep: impl Fn(&[u8]) -> Vec<u8>,
    ) -> Result<Vec<u8>, Why> {
        let bare = Self { copy: None, ..self.clone() };
        match bare.bytes(path) {
            Ok(bytes) => {
                let kept = keep(&bytes);
                if let Some(copy) = &self.copy {
                    let _ = write_below(&copy.to, path, &kept);
                }
                Ok(kept)
            }
            Err(why) => {
                self.note(path, why);
                Err(why)
            }
        }
    }

    /// A file that holds one value, such as a number.
    pub fn value<T: FromStr>(&self, path: &str) -> Known<T> {
        known(self.text(path).and_then(|text| text.parse().map_err(|_| Why::Unreadable)))
    }

    /// The names in a folder, sorted; numbers by value, as processes and threads are.
    ///
    /// # Errors
    /// Why it cannot be listed.
    pub fn names(&self, path: &str) -> Result<Vec<String>, Why> {
        if let Some((_, why)) = self.unread.iter().find(|(denied, _)| denied == path) {
            return Err(*why);
        }
        let entries = fs::read_dir(self.base.join(path)).map_err(|e| {
            self.note(path, why(&e));
            why(&e)
        })?;
        let mut names: Vec<String> =
            entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
        names.sort_by_cached_key(|name| (name.parse::<u64>().unwrap_or(u64::MAX), name.clone()));
        if let Some(copy) = &self.copy {
            // An empty folder is told from an absent one.
            let _ = fs::create_dir_all(copy.to.join(path));
        }
        Ok(names)
    }

    /// Where a link to a folder points; a copy keeps its target under another name, since what lies
    /// below the link is copied as well.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn link_kept_at(&self, path: &str, at: &str) -> Result<String, Why> {
        if !self.live && self.exists(at) {
            return self.text(at);
        }
        let target = Self { copy: None, ..self.clone() }.link(path)?;
        self.write_beside(at, &target);
        Ok(target)
    }

    /// Where a link points.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn link(&self, path: &str) -> Result<String, Why> {
        if let Some((_, why)) = self.unread.iter().find(|(denied, _)| denied == path) {
            return Err(*why);
        }
        // A captured link is a file that holds its target.
        let read = if self.live {
            fs::read_link(self.base.join(path)).map(|target| target.display().to_string())
        } else {
            fs::read_to_string(self.base.join(path))
        };
        let target = read.map_err(|e| {
            self.note(path, why(&e));
            why(&e)
        })?;
        if let Some(copy) = &self.copy {
            let _ = write_below(&copy.to, path, target.as_bytes());
        }
        Ok(target)
    }

    /// Whether a file or folder is there. One that is behind a folder without permission is not.
    pub fn exists(&self, path: &str) -> bool {
        let there = fs::symlink_metadata(self.base.join(path)).is_ok();
        if let (true, Some(copy)) = (there, &self.copy) {
            let copied = copy.to.join(path);
            if !copied.exists() && self.base.join(path).is_dir() {
                let _ = fs::create_dir_all(copied);
            } else if !copied.exists() {
                let _ = write_below(&copy.to, path, b"");
            }
        }
        there
    }

    /// Writes into the copy what comes from calls and not from files.
    pub(crate) fn write_beside(&self, path: &str, text: &str) {
        if let Some(copy) = &self.copy {
            let _ = write_below(&copy.to, path, text.as_bytes());
        }
    }

    fn note(&self, path: &str, why: Why) {
        if let Some(copy) = &self.copy {
            copy.unread.borrow_mut().push((path.to_owned(), why));
        }
    }
}

/// A reading taken off this machine, or why there is none.
pub(crate) fn known<T>(read: Result<T, Why>) -> Known<T> {
    match read {
        Ok(value) => Known::is(value, By::Measured),
        Err(why) => Known::Not(why),
    }
}

/// Nearly all is UTF-8 already, and short blanks at the end are all that is to go.
fn text(bytes: Vec<u8>) -> String {
    let mut text = String::from_utf8(bytes)
        .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned());
    text.truncate(text.trim_end().len());
    let blanks = text.len() - text.trim_start().len();
    text.drain(..blanks);
    text
}

fn why(error: &std::io::Error) -> Why {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Why::Absent,
        ErrorKind::PermissionDenied => Why::Denied,
        // A process that is gone, a device that does not answer.
        _ => match error.raw_os_error() {
            Some(3) => Why::Absent,
            Some(1) => Why::Denied,
            _ => Why::Unreadable,
        },
    }
}

fn word(why: Why) -> &'static str {
    if why == Why::Denied { "denied" } else { "unreadable" }
}

fn parse_unread(line: &str) -> Option<(String, Why)> {
    let (word, path) = line.split_once(' ')?;
    let why = if word == "denied" { Why::Denied } else { Why::Unreadable };
    Some((path.to_owned(), why))
}

fn write_below(base: &Path, path: &str, bytes: &[u8]) -> Result<(), std::io::Error> {
    let to = base.join(path);
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(to, bytes)
}
