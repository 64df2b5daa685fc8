//! Tests of the public face of the crate.

mod bound_errors;
mod bound_table;
mod catalogue;
mod ceilings;
mod config;
mod corpus;
mod file;
mod files;
mod gguf;
mod gguf_hostile;
mod hardware_errors;
mod judge;
mod lookup;
mod model_errors;
mod oracle;
mod parallel;
mod plan;
mod properties;
mod published;
mod quantisation;
mod replay;
mod safetensors;
mod shapes;
mod sizes;
mod worked;
mod written_elsewhere;
