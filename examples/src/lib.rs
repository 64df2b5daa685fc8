//! What the example programs share: arguments, inputs, output, exit status, and the embedded case.

pub mod arguments;
pub mod arms;
pub mod audit_inputs;
pub mod ceiling;
pub mod failure;
pub mod host_arguments;
pub mod host_look;
pub mod log_arguments;
pub mod metrics_url;
pub mod output;
pub mod paths;
pub mod progress;
pub mod served;
pub mod story1;
pub mod watched;
