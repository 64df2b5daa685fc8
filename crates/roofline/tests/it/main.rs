//! What the crate says about whole models.

mod config;
mod corpus;
mod files;
mod gguf;
mod gguf_hostile;
mod known_errors;
mod properties;
mod published;
mod quantisation;
mod safetensors;
mod sizes;
mod written_elsewhere;
