//! The simulator held against its own rules and against readers of what it writes.

mod cached;
mod conserved;
mod served;
mod serving;
