//! The live programs, run as a person runs them, and the document about the simulated server.

mod document;
mod interrupted;
mod kept;
mod measured;
mod ran;
mod refused;
mod replayed;
mod simulate_server;
mod story;
