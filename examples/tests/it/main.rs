//! The programs, the documents and the embedded case, end to end.

mod documents;
mod programs;
mod casebook;
mod story;
