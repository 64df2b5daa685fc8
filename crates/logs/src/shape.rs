//! The keys of a row as a tree, and one pass over a row that fills the slots of its leaves.
//!
//! Rows of one file list their keys in one order, so each key remembers which key followed it last
//! time; that one is compared first. A key that no table knows is counted by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::scalar::Scalar;

/// How deep a row may nest: as deep as `serde_json` reads.
pub(crate) const DEPTH_LIMIT: u32 = 127;
/// How many unknown keys of one block are told apart.
const NAMES: usize = 256;

/// Where a key leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// To a value that is kept.
    Slot(usize),
    /// To a value of which only counts that it is there.
    Unread(usize),
    /// To an object with keys of its own.
    Node(usize),
    /// Nowhere.
    Unknown,
}

#[derive(Debug, Clone)]
struct Child {
    key: Box<str>,
    /// The key as it stands in a line: in quotes, with its colon.
    written: Box<[u8]>,
    target: Target,
    next: usize,
    seen: u64,
}

#[derive(Debug, Clone, Default)]
struct Node {
    children: Vec<Child>,
    first: usize,
    /// Whether any other key of this object is a slot of its own.
    open: bool,
}

/// The tree of keys.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    nodes: Vec<Node>,
    /// The name of each slot beyond those of the table, in order.
    open_names: Vec<String>,
    fixed: usize,
    beyond: u64,
    /// Keys of the outermost object that only other formats have.
    foreign: Arc<[&'static str]>,
    /// Whether one of them was met.
    met_foreign: bool,
}

impl Shape {
    /// A tree of paths; slot `i` belongs to path `i`. A path that ends in `.*` opens its object.
    pub(crate) fn new<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let mut shape = Self {
            nodes: vec![Node::default()],
            open_names: Vec::new(),
            fixed: 0,
            beyond: 0,
            foreign: Arc::default(),
            met_foreign: false,
        };
        for path in paths {
            let slot = shape.fixed;
            shape.fixed += 1;
            let mut node = 0;
            let mut parts = path.split('.').peekable();
            while let Some(part) = parts.next() {
                if part == "*" {
                    if let Some(n) = shape.nodes.get_mut(node) {
                        n.open = true;
                    }
                } else if parts.peek().is_some() {
                    node = shape.node(node, part);
                } else {
                    shape.child(node, part, Target::Slot(slot));
                }
            }
        }
        shape
    }

    /// Looks for keys that only other formats have.
    pub(crate) fn watching(mut self, foreign: Arc<[&'static str]>) -> Self {
        self.foreign = foreign;
        self
    }

    /// Whether a key was met that only another format has.
    pub(crate) fn met_foreign(&self) -> bool {
        self.met_foreign
    }

    /// Leaves the value of a slot unread: only that it is there counts.
    pub(crate) fn leave_unread(&mut self, slot: usize) {
        for child in self.nodes.iter_mut().flat_map(|node| &mut node.children) {
            if child.target == Target::Slot(slot) {
                child.target = Target::Unread(slot);
            }
        }
    }

    /// How many slots the table has.
    pub(crate) fn fixed(&self) -> usize {
        self.fixed
    }

    /// The names of the slots beyond the table's.
    pub(crate) fn open_names(&self) -> &[String] {
        &self.open_names
    }

    /// How often each unknown key of the outermost object was met, and how many were not told
    /// apart.
    pub(crate) fn unknown(&self) -> (BTreeMap<String, u64>, u64) {
        let names = self
            .nodes
            .first()
            .into_iter()
            .flat_map(|node| &node.children)
            .filter(|c| c.target == Target::Unknown && c.seen > 0)
            .map(|c| (c.key.to_string(), c.seen))
            .collect();
        (names, self.beyond)
    }

    /// Whether the outermost object of a row can have this key.
    pub(crate) fn knows(&self, key: &str) -> bool {
        self.nodes.first().is_some_and(|node| {
            node.children.iter().any(|c| &*c.key == key && c.target != Target::Unknown)
        })
    }

    fn node(&mut self, parent: usize, key: &str) -> usize {
        let found = self.nodes.get(parent).and_then(|node| {
            node.children.iter().find_map(|c| match c.target {
                Target::Node(n) if &*c.key == key => Some(n),
                _ => None,
            })
        });
        found.unwrap_or_else(|| {
            let new = self.nodes.len();
            self.nodes.push(Node::default());
            self.child(parent, key, Target::Node(new));
            new
        })
    }

    fn child(&mut self, node: usize, key: &str, target: Target) -> usize {
        let Some(node) = self.nodes.get_mut(node) else { return 0 };
        let written = format!("\"{key}\":").into_bytes().into();
        node.children.push(Child { key: key.into(), written, target, next: 0, seen: 0 });
        node.children.len() - 1
    }

    /// The length and target of the key that is expected next, if the text begins with it.
    #[inline]
    pub(crate) fn expect(
        &mut self,
        node: usize,
        guess: usize,
        text: &[u8],
    ) -> Option<(usize, Target)> {
        let child = self.nodes.get_mut(node)?.children.get_mut(guess)?;
        starts_with(text, &child.written).then(|| {
            child.seen += 1;
            (child.written.len(), child.target)
        })
    }

    /// The same in an object that is written as a text.
    #[inline]
    pub(crate) fn expect_written(
        &mut self,
        node: usize,
        guess: usize,
        text: &[u8],
    ) -> Option<(usize, Target)> {
        let child = self.nodes.get_mut(node)?.children.get_mut(guess)?;
        let key = text.strip_prefix(b"\\\"")?.strip_prefix(child.key.as_bytes())?;
        key.starts_with(b"\\\":").then(|| {
            child.seen += 1;
            (child.key.len() + 5, child.target)
        })
    }

    /// The child for a key, tried first where the row before had it.
    pub(crate) fn find(&mut self, node: usize, key: &str, guess: usize) -> (usize, Target) {
        let Some(here) = self.nodes.get_mut(node) else { return (0, Target::Unknown) };
        if let Some(child) = here.children.get_mut(guess)
            && &*child.key == key
        {
            child.seen += 1;
            return (guess, child.target);
        }
        if let Some(at) = here.children.iter().position(|c| &*c.key == key)
            && let Some(child) = here.children.get_mut(at)
        {
            child.seen += 1;
            return (at, child.target);
        }
        let target = if here.open && self.open_names.len() < NAMES {
            self.open_names.push(key.to_owned());
            Target::Slot(self.fixed + self.open_names.len() - 1)
        } else {
            self.met_foreign |= node == 0 && self.foreign.contains(&key);
            if here.children.len() >= 2 * NAMES {
                self.beyond += 1;
                return (guess, Target::Unknown);
            }
            Target::Unknown
        };
        let at = self.child(node, key, target);
        if let Some(child) = self.nodes.get_mut(node).and_then(|n| n.children.get_mut(at)) {
            child.seen = 1;
        }
        (at, target)
    }

    #[inline]
    pub(crate) fn guess_after(&self, node: usize, child: Option<usize>) -> usize {
        let Some(node) = self.nodes.get(node) else { return 0 };
        match child {
            None => node.first,
            Some(at) => node.children.get(at).map_or(0, |c| c.next),
        }
    }

    pub(crate) fn learn(&mut self, node: usize, before: Option<usize>, at: usize) {
        let Some(node) = self.nodes.get_mut(node) else { return };
        match before {
            None => node.first = at,
            Some(before) => {
                if let Some(child) = node.children.get_mut(before) {
                    child.next = at;
                }
            }
        }
    }
}

/// Whether a text starts so: eight bytes at a time, since keys are short.
#[inline]
fn starts_with(text: &[u8], start: &[u8]) -> bool {
    let Some(text) = text.get(..start.len()) else { return false };
    match (text.last_chunk::<8>(), start.last_chunk::<8>()) {
        // The last eight overlap the ones before: no byte is left over.
        (Some(a), Some(b)) => {
            a == b
                && text.as_chunks::<8>().0.iter().zip(start.as_chunks::<8>().0).all(|(a, b)| a == b)
        }
        _ => text == start,
    }
}

/// The values of one row.
#[derive(Debug, Default)]
pub(crate) struct Slots<'x> {
    values: Vec<Scalar<'x>>,
    stamps: Vec<u32>,
    now: u32,
    hits: u32,
    doubled: u32,
}

impl<'x> Slots<'x> {
    /// Slots for what a table has.
    pub(crate) fn of(shape: &Shape) -> Self {
        let n = shape.fixed;
        Self { values: vec![Scalar::Null; n], stamps: vec![0; n], ..Self::default() }
    }

    /// Forgets the row before.
    pub(crate) fn begin(&mut self) {
        if self.now == u32::MAX {
            self.stamps.fill(0);
            self.now = 0;
        }
        self.now += 1;
        self.hits = 0;
        self.doubled = 0;
    }

    /// The value of a slot, if the row has it.
    #[inline]
    pub(crate) fn get(&self, slot: usize) -> Option<&Scalar<'x>> {
        (self.stamps.get(slot) == Some(&self.now)).then(|| self.values.get(slot))?
    }

    /// How many known keys the row has.
    pub(crate) fn hits(&self) -> u32 {
        self.hits
    }

    /// How many keys stand in it twice with different values.
    pub(crate) fn doubled(&self) -> u32 {
        self.doubled
    }

    /// Counts known keys that have no slot.
    #[inline]
    pub(crate) fn hit(&mut self, keys: u32) {
        self.hits += keys;
    }

    /// Sets a slot that the row has not set yet; `None` where it has.
    #[inline]
    pub(crate) fn set_once(&mut self, slot: usize, value: Scalar<'x>) -> Option<()> {
        match (self.stamps.get_mut(slot), self.values.get_mut(slot)) {
            (Some(stamp), Some(held)) => {
                if *stamp == self.now {
                    return None;
                }
                *stamp = self.now;
                *held = value;
                self.hits += 1;
            }
            _ => self.set(slot, value),
        }
        Some(())
    }

    pub(crate) fn set(&mut self, slot: usize, value: Scalar<'x>) {
        if slot >= self.stamps.len() {
            self.stamps.resize(slot + 1, 0);
            self.values.resize(slot + 1, Scalar::Null);
        }
        let (Some(stamp), Some(held)) = (self.stamps.get_mut(slot), self.values.get_mut(slot))
        else {
            return;
        };
        if *stamp == self.now {
            if *held != value {
                self.doubled += 1;
                *held = Scalar::Unusable;
            }
        } else {
            *stamp = self.now;
            *held = value;
            self.hits += 1;
        }
    }
}
