//! Tensors as a header lists them, gathered into runs.

use std::collections::{BTreeMap, BTreeSet};

use super::companions;
use super::naming::{self, Dialect};
use crate::model::assembly::{Assembly, Draft};
use crate::model::error::shown;
use crate::model::{ModelError, ModelPart, Role, Stored, Warning};

/// One tensor of a header.
#[derive(Debug, Clone, Copy)]
pub(in crate::model) struct Listed<'a> {
    pub(in crate::model) name: &'a str,
    /// Output rows first.
    pub(in crate::model) shape: &'a [u64],
    pub(in crate::model) stored: Stored,
    /// What the file calls the storage; tells groups apart.
    pub(in crate::model) dtype: u32,
    pub(in crate::model) bytes: u64,
}

/// Equal tensors: name without numbers, shape, storage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    pattern: String,
    shape: Vec<u64>,
    dtype: u32,
}

#[derive(Debug, Clone)]
struct Group {
    stored: Stored,
    bytes: u64,
    /// Copies by the number of their layer.
    layers: BTreeMap<Option<u64>, u64>,
}

/// Equal tensors of one part, their scales not yet joined to them.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) pattern: String,
    pub(super) shape: Vec<u64>,
    pub(super) stored: Stored,
    pub(super) part: ModelPart,
    pub(super) copies: u64,
    /// Bytes of one copy.
    pub(super) bytes: u64,
    /// Scale values of one copy.
    pub(super) scales: u64,
}

/// The tensors of one or more headers.
#[derive(Debug)]
pub(in crate::model) struct Listing {
    dialect: Dialect,
    groups: BTreeMap<Key, Group>,
    /// Numbers of layers that predict further tokens.
    ahead: BTreeSet<u64>,
}

impl Listing {
    pub(in crate::model) const fn new(dialect: Dialect) -> Self {
        Self { dialect, groups: BTreeMap::new(), ahead: BTreeSet::new() }
    }

    /// Adds one tensor.
    pub(in crate::model) fn add(&mut self, listed: &Listed<'_>) {
        let (pattern, [layer, _]) = naming::pattern(listed.name);
        if let Some(layer) = layer
            && naming::marks_mtp(&pattern)
        {
            self.ahead.insert(layer);
        }
        let key = Key { pattern, shape: listed.shape.to_vec(), dtype: listed.dtype };
        let Listed { stored, bytes, .. } = *listed;
        let group = self.groups.entry(key).or_insert_with(|| Group {
            stored,
            bytes,
            layers: BTreeMap::new(),
        });
        *group.layers.entry(layer).or_insert(0) += 1;
    }

    /// Joins scales to their weights and adds everything to a model.
    ///
    /// # Errors
    /// Totals beyond any model.
    pub(in crate::model) fn finish(self, assembly: &mut Assembly) -> Result<(), ModelError> {
        let dialect = self.dialect;
        let rows = companions::joined(self.rows());
        let mut unknown: Option<(String, u64)> = None;
        let (mut table, mut tied) = (None, true);
        for row in &rows {
            let role = naming::role(dialect, &row.pattern);
            if row.part == ModelPart::Text {
                match role {
                    Role::Embed => table = table.or_else(|| row.shape.clone().try_into().ok()),
                    Role::Head => tied = false,
                    Role::Other if !naming::is_known_other(&row.pattern) => {
                        let first = unknown.get_or_insert_with(|| (shown(&row.pattern), 0));
                        first.1 = first.1.saturating_add(row.copies);
                    }
                    _ => {}
                }
            }
            add(assembly, row, role)?;
        }
        let table: Option<[u64; 2]> = table;
        let [vocabulary, hidden] = table.map_or([None, None], |sides| sides.map(Some));
        assembly.describe(hidden, vocabulary, tied && table.is_some());
        if let Some((first, count)) = unknown {
            assembly.warn(Warning::UnknownTensors { first, count });
        }
        Ok(())
    }

    /// The groups, cut where layers of one group belong to different parts.
    fn rows(self) -> Vec<Row> {
        let mut rows = Vec::new();
        for (key, group) in self.groups {
            let own = naming::part(self.dialect, &key.pattern);
            let (mut here, mut ahead) = (0_u64, 0_u64);
            for (layer, copies) in &group.layers {
                let is_ahead = layer.is_some_and(|layer| self.ahead.contains(&layer));
                *(if is_ahead && own == ModelPart::Text { &mut ahead } else { &mut here }) +=
                    copies;
            }
            for (part, copies) in [(own, here), (ModelPart::Mtp, ahead)] {
                if copies > 0 {
                    rows.push(Row {
                        pattern: key.pattern.clone(),
                        shape: key.shape.clone(),
                        stored: group.stored,
                        part,
                        copies,
                        bytes: group.bytes,
                        scales: 0,
                    });
                }
            }
        }
        rows
    }
}

/// Adds a row; experts that a file keeps in one tensor become one copy each.
fn add(assembly: &mut Assembly, row: &Row, role: Role) -> Result<(), ModelError> {
    let name = shown_name(&row.pattern);
    let Row { part, stored, copies, bytes, scales, .. } = *row;
    let together = role == Role::Expert && row.pattern.matches('*').count() < 2;
    let (mut shape, mut each, mut scales_each, mut all) =
        (row.shape.as_slice(), bytes, scales, copies);
    if let (true, [experts, one @ ..]) = (together, shape)
        && *experts > 0
        && bytes.is_multiple_of(*experts)
        && scales.is_multiple_of(*experts)
        && !one.is_empty()
    {
        (shape, each, scales_each, all) =
            (one, bytes / experts, scales / experts, copies.saturating_mul(*experts));
    }
    let draft = Draft { name: &name, role, part, run: None, shape, copies: all };
    assembly.add_sized(&draft, stored, each, scales_each)
}

/// A name as it may stand in a list: whole where it is of any sane length.
fn shown_name(pattern: &str) -> String {
    if pattern.len() <= 200 && pattern.chars().all(|c| !c.is_control()) {
        pattern.to_owned()
    } else {
        shown(pattern)
    }
}
