//! The programs, the documents and the embedded case, end to end.

mod casebook;
mod ceiling;
mod compare;
mod corpus;
mod corpus_logs;
mod corpus_results;
mod documents;
#[cfg(unix)]
mod host;
mod patch_story;
mod programs;
mod story;
mod sweep_story;
