//! The programs and the embedded case, end to end.

mod story;
