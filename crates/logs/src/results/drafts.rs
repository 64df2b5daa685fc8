//! The runs of a file while they are being read.

use std::collections::HashMap;

use super::draft::Draft;

/// The runs of one format in one file, in their order.
#[derive(Debug)]
pub(crate) struct Drafts {
    /// What the file is called: the label of its first run.
    pub(crate) name: String,
    /// The runs.
    pub(crate) runs: Vec<Draft>,
    /// Places of runs by what their records call them, where records of several runs are mixed.
    pub(crate) places: HashMap<String, usize>,
}

impl Drafts {
    /// No run yet.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), runs: Vec::new(), places: HashMap::new() }
    }

    /// Begins another run of a tool.
    pub(crate) fn begin(&mut self, tool: &str) -> &mut Draft {
        self.runs.push(Draft::new(&self.name, tool));
        self.runs.last_mut().expect("a run was just begun")
    }

    /// The run that is being read; begun where there is none yet.
    pub(crate) fn current(&mut self, tool: &str) -> &mut Draft {
        if self.runs.is_empty() {
            self.begin(tool);
        }
        self.runs.last_mut().expect("a run was begun")
    }
}
