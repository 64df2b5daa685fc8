//! Small trees of `/proc` for tests.

use std::fs;
use std::path::PathBuf;

use crate::root::Root;

/// A folder that is removed at the end of the test.
pub(crate) struct Tree(PathBuf);

/// An empty tree; `name` is unique among the tests of this crate.
pub(crate) fn tree(name: &str) -> Tree {
    let folder = format!("trueline-host-{}-{name}", std::process::id());
    let path = std::env::temp_dir().join(folder);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    Tree(path)
}

impl Tree {
    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let to = self.0.join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, text).unwrap();
    }

    /// Writes the line of a process: its user time in ticks, its nice, its start.
    pub(crate) fn process(&self, pid: u32, parent: u32, name: &str, ticks: u64) {
        let line = format!(
            "{pid} ({name}) S {parent} {pid} {pid} 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 {pid} 0 0 0 \
             0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
        );
        self.write(&format!("proc/{pid}/stat"), &line);
    }

    /// Ends a process.
    pub(crate) fn end(&self, pid: u32) {
        fs::remove_dir_all(self.0.join(format!("proc/{pid}"))).unwrap();
    }

    /// The tree as a root.
    pub(crate) fn root(&self) -> Root {
        Root::at(&self.0)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
