//! Rows as columns: tables with a line of names, whose cells commas separate.

use crate::layout::Layout;
use crate::scalar::Scalar;
use crate::shape::Slots;

/// The columns of a table, each with the field that it holds, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    slots: Vec<Option<usize>>,
    /// The line of names: files that were put behind each other repeat it.
    names: String,
    /// Names that mean nothing here.
    pub(crate) unknown: Vec<String>,
}

/// What a line of a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cells {
    /// A row; its cells are in the slots.
    Row,
    /// The line of names.
    Names,
    /// A row of another number of cells.
    OtherWidth,
}

impl Columns {
    /// The columns that a head names, if the names of all `fields` that `must` be there are.
    pub(crate) fn of(head: &str, fields: &[&str], must: &[&str]) -> Option<Self> {
        let line = head.lines().find(|line| !line.trim().is_empty())?.trim();
        let names: Vec<&str> = cells(line).collect();
        if names.len() < 2 || !must.iter().all(|name| names.contains(name)) {
            return None;
        }
        let slot = |name: &&str| fields.iter().position(|field| field == name);
        let slots: Vec<Option<usize>> = names.iter().map(slot).collect();
        let nameless = names.iter().zip(&slots).filter(|(_, slot)| slot.is_none());
        let unknown = nameless.map(|(name, _)| (*name).to_owned()).collect();
        Some(Self { slots, names: line.to_owned(), unknown })
    }

    /// Puts the cells of a line into slots.
    pub(crate) fn fill<'x>(&self, line: &'x str, slots: &mut Slots<'x>) -> Cells {
        if line == self.names {
            return Cells::Names;
        }
        slots.begin();
        let mut count = 0;
        for cell in cells(line) {
            match self.slots.get(count) {
                // An empty cell says nothing.
                Some(Some(slot)) if !cell.is_empty() => slots.set(*slot, Scalar::Text(cell)),
                Some(_) => {}
                None => return Cells::OtherWidth,
            }
            count += 1;
        }
        if count == self.slots.len() { Cells::Row } else { Cells::OtherWidth }
    }
}

impl Layout {
    /// The same for a table with the columns that a head names.
    pub(crate) fn with_columns(mut self, head: &str) -> Self {
        let fields: Vec<&str> = self.table.fields.iter().map(|field| &*field.path).collect();
        self.columns = Columns::of(head, &fields, &[]);
        self
    }
}

/// The cells of a line. One in quotes may hold commas; quotes within it stay as they are written.
fn cells(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let quoted = text.strip_prefix('"').and_then(|inner| {
            let end = (0..inner.len()).find(|at| {
                let after = inner.get(*at..).unwrap_or_default();
                after.starts_with("\",") || after == "\""
            })?;
            Some((inner.get(..end)?, inner.get(end + 1..)?))
        });
        let (cell, after) = match quoted {
            Some((cell, after)) => (cell, after.strip_prefix(',')),
            None => match text.split_once(',') {
                Some((cell, after)) => (cell.trim(), Some(after)),
                None => (text.trim(), None),
            },
        };
        rest = after;
        Some(cell)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_end_at_commas_outside_quotes() {
        for (line, expected) in [
            ("a,b,,c", &["a", "b", "", "c"][..]),
            (r#""a,b",c"#, &["a,b", "c"]),
            (r#"x,"y""#, &["x", "y"]),
            (r#""open,b"#, &["\"open", "b"]),
            ("", &[""]),
        ] {
            assert_eq!(cells(line).collect::<Vec<_>>(), expected, "{line}");
        }
    }

    #[test]
    fn a_head_names_columns_in_any_order() {
        let fields = ["at", "in", "out"];
        let columns = Columns::of("out,new,at,in\r\n1,2,3,4", &fields, &["in"]).unwrap();
        assert_eq!(columns.slots, [Some(2), None, Some(0), Some(1)]);
        assert_eq!(columns.unknown, ["new"]);
        assert_eq!(Columns::of("a,b\n", &fields, &["in"]), None);
        assert_eq!(Columns::of("in\n", &fields, &["in"]), None);
    }
}
