//! The items of a list one after the other: those that are objects in the common form are read where they stand.

use crate::scan::Scanner;
use crate::shape::{Shape, Slots};

/// A list that is passed through once.
#[derive(Debug)]
pub(crate) struct Objects<'x> {
    scanner: Scanner<'x, false>,
    /// Whether the last item, or the end of an empty list, is behind.
    ended: bool,
}

/// An item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item<'x> {
    /// An object; the slots hold it.
    Object,
    /// Anything else, as it is written: what has to be read with care.
    Other(&'x str),
}

impl<'x> Objects<'x> {
    /// The items of a list; `None` where the text does not begin one.
    pub(crate) fn of(list: &'x str) -> Option<Self> {
        Self::at(Scanner { text: list, bytes: list.as_bytes(), at: 0 })
    }

    /// The items of the list that begins where a scanner stands.
    pub(crate) fn at(mut scanner: Scanner<'x, false>) -> Option<Self> {
        scanner.blank();
        scanner.take(b'[')?;
        scanner.blank();
        let ended = scanner.take(b']').is_some();
        Some(Self { scanner, ended })
    }

    /// The next item; `None` behind the last one, or where the list breaks off.
    pub(crate) fn next(&mut self, shape: &mut Shape, slots: &mut Slots<'x>) -> Option<Item<'x>> {
        if self.ended {
            return None;
        }
        let scanner = &mut self.scanner;
        let from = scanner.at;
        slots.begin();
        let item = if scanner.object(0, 1, shape, slots).is_some() {
            Item::Object
        } else {
            scanner.at = from;
            scanner.skip(1)?;
            Item::Other(scanner.text.get(from..scanner.at)?)
        };
        scanner.blank();
        if scanner.take(b',').is_some() {
            scanner.blank();
        } else {
            scanner.take(b']')?;
            self.ended = true;
        }
        Some(item)
    }

    /// The scanner behind the list; `None` where that breaks off or was not passed through.
    pub(crate) fn behind(self) -> Option<Scanner<'x, false>> {
        self.ended.then_some(self.scanner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Scalar;

    #[test]
    fn every_item_comes_once_in_its_form() {
        let items = |list: &'static str| {
            let mut shape = Shape::new(["a"]);
            let mut slots = Slots::of(&shape);
            let mut objects = Objects::of(list).unwrap();
            let mut all = Vec::new();
            while let Some(item) = objects.next(&mut shape, &mut slots) {
                let held = slots.get(0).copied().filter(|_| item == Item::Object);
                all.push((item, held));
            }
            all
        };
        assert_eq!(items("[]"), []);
        assert_eq!(items(" [ ] "), []);
        assert_eq!(
            items(r#"[{"a":1}, 7,{"a":2,"a":3} ,{"b":[1,2]},null]"#),
            [
                (Item::Object, Some(Scalar::Whole(1))),
                (Item::Other("7"), None),
                (Item::Other(r#"{"a":2,"a":3}"#), None),
                (Item::Object, None),
                (Item::Other("null"), None),
            ]
        );
        // Cut within an item, or behind one that nothing follows: what stands before it.
        assert_eq!(items(r#"[{"a":1},{"a":"#), [(Item::Object, Some(Scalar::Whole(1)))]);
        assert_eq!(items(r#"[{"a":1},7"#), [(Item::Object, Some(Scalar::Whole(1)))]);
        assert!(Objects::of("{}").is_none());
    }
}
