//! An input that is made while it is read.

use std::io::{self, Read};

use super::Input;

/// How many requests are made at a time.
const AT_A_TIME: u64 = 8;

/// Yields an input and holds a few of its requests at a time.
#[derive(Debug)]
pub struct Stream {
    input: Input,
    next: u64,
    all: u64,
    made: String,
    taken: usize,
}

impl Stream {
    pub(super) fn new(input: Input, requests: u64) -> Self {
        Self { input, next: 0, all: requests, made: String::new(), taken: 0 }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.made.len() && self.next < self.all {
            let to = self.all.min(self.next + AT_A_TIME);
            self.made.clear();
            self.input.part(&mut self.made, self.next, to, self.all);
            (self.next, self.taken) = (to, 0);
        }
        let mut rest = self.made.as_bytes().get(self.taken..).unwrap_or_default();
        let read = rest.read(buffer)?;
        self.taken += read;
        Ok(read)
    }
}
