//! Schedules, stop rules, budgets and drains against a scripted server, by a clock that moves only where
//! everything waits.

mod budgets;
mod properties;
mod schedules;
mod scripted;
mod stops;
mod watching;
