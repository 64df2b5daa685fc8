//! What the crate says about whole models.

mod corpus;
mod known_errors;
mod published;
mod sizes;
