//! The probe against scripted and simulated servers.

mod load;
