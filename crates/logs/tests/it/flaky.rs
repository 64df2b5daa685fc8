//! A disk that is full after so many bytes, until somebody makes room.

use std::io;

/// A disk with so much room.
#[derive(Debug)]
pub(crate) struct Flaky {
    bytes: Vec<u8>,
    room: usize,
}

impl Flaky {
    pub(crate) fn with_room(room: usize) -> Self {
        Self { bytes: Vec::new(), room }
    }

    pub(crate) fn make_room(&mut self) {
        self.room = usize::MAX;
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl io::Write for Flaky {
    /// Takes what there is room for, as a file does before it says that the disk is full.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.room);
        if taken == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room -= taken;
        self.bytes.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
