//! The simulator held against its own rules and against readers of what it writes.

mod cached;
mod conserved;
mod counted;
mod logged;
mod logged_elsewhere;
mod read_back;
mod served;
mod serving;
#[cfg(feature = "server")]
mod socket;
mod tokenized;
