//! One pass over an object that is written as a text within a row: its quotes stand behind backslashes.
//!
//! It is read where it stands, without being decoded: `"{\"a\": \"b\\n\"}"` holds what `{"a": "b\n"}` does. What is
//! unusual is refused, as everywhere in the common form, and what is accepted yields the same slots there.

use crate::scan::{Scanner, plain_length};
use crate::shape::{Shape, Slots};
use crate::slow_row::WRITTEN_DEPTH;

impl<'x> Scanner<'x, false> {
    /// An object that is written as a text, inside `depth` objects.
    pub(crate) fn written_object(
        &mut self,
        node: usize,
        depth: u32,
        shape: &mut Shape,
        slots: &mut Slots<'x>,
    ) -> Option<()> {
        if depth >= WRITTEN_DEPTH {
            return None;
        }
        self.take(b'"')?;
        let mut inner = Scanner::<'x, true> { text: self.text, bytes: self.bytes, at: self.at };
        inner.object(node, depth + 1, shape, slots)?;
        inner.blank();
        self.at = inner.at;
        self.take(b'"')
    }
}

impl<'x, const WRITTEN: bool> Scanner<'x, WRITTEN> {
    /// A text of such an object, without escapes.
    pub(crate) fn written_string(&mut self) -> Option<&'x str> {
        self.take(b'\\')?;
        self.take(b'"')?;
        let from = self.at;
        let end = from + plain_length(self.bytes.get(from..)?);
        if !self.bytes.get(end..)?.starts_with(b"\\\"") {
            return None;
        }
        self.at = end + 2;
        self.text.get(from..end)
    }

    /// Passes over a text of such an object.
    pub(crate) fn skip_written_string(&mut self) -> Option<()> {
        self.take(b'\\')?;
        self.take(b'"')?;
        loop {
            self.at += plain_length(self.bytes.get(self.at..)?);
            self.take(b'\\')?;
            let escaped = self.peek()?;
            self.at += 1;
            match escaped {
                b'"' => return Some(()),
                // A backslash of the text itself, and what it escapes there.
                b'\\' => self.skip_written_escape()?,
                b'/' => {}
                // A letter, whose code no mark has.
                b'u' if self.code_unit_pair("\\u")? >= 0x80 => {}
                _ => return None,
            }
        }
    }

    /// Passes over what stands behind a backslash of the text.
    fn skip_written_escape(&mut self) -> Option<()> {
        let escaped = self.peek()?;
        self.at += 1;
        match escaped {
            b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => self.code_unit_pair("\\\\u").map(|_| ()),
            // A quote or a backslash has one before it.
            b'\\' => {
                let own = self.peek()?;
                self.at += 1;
                matches!(own, b'"' | b'\\').then_some(())
            }
            _ => None,
        }
    }
}
