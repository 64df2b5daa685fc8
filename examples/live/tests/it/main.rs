//! The live programs, run as a person runs them, and the document about the simulated server.

mod document;
mod simulate_server;
