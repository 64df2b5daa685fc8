//! The live programs and the document about the simulated server.

mod document;
