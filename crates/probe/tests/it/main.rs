//! The probe held against a server whose truth is known.

mod engine;
mod experiments;
mod replayed;
