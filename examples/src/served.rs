//! The arguments that say what served the runs: device, model, and how it ran.

use std::path::PathBuf;

use clap::Args;
use trueline::ceiling::Deployment;
use trueline::roofline::{Parallel, Speculation, Stored};

use crate::ceiling::{find_hardware, parse_parallel, parse_speculation, read_model, read_plan};
use crate::failure::Failure;

/// What served the runs.
#[derive(Debug, Args)]
pub struct Served {
    /// The device that served: a name, or a TOML file of one's own; without it that of the host record
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub hardware: Vec<String>,
    /// The model: config.json, .safetensors or .gguf files, or their folder; may be repeated
    #[arg(long, value_name = "PATH")]
    pub model_config: Vec<PathBuf>,
    /// How weights are stored where the model's files say otherwise: DTYPE, or ROLE=DTYPE
    #[arg(long, value_name = "[ROLE=]DTYPE")]
    pub weights: Vec<String>,
    /// How keys and values are cached
    #[arg(long, value_name = "DTYPE")]
    pub kv: Option<Stored>,
    /// Over how many devices in all, replicas included
    #[arg(long, value_name = "N")]
    pub devices: Option<u64>,
    /// How each replica is spread: tp=2,pp=1,ep=1
    #[arg(long, value_name = "tp=N,pp=N,ep=N", value_parser = parse_parallel)]
    pub parallel: Option<Parallel>,
    /// Whether tokens are drafted: none, or how many in each pass
    #[arg(long, value_name = "none|N", value_parser = parse_speculation)]
    pub speculation: Option<Speculation>,
}

impl Served {
    /// What was said, if anything was. Where no model is named, the one among the inputs counts; why it could not
    /// be taken is told beside it.
    ///
    /// # Errors
    /// A device or model that cannot be read or told, numbers that do not fit.
    pub fn deployment(
        &self,
        found: &[PathBuf],
    ) -> Result<(Option<Deployment>, Option<String>), Failure> {
        let mut said = Deployment::default();
        let (mut is_said, mut aside) = (self.is_set(), None);
        if !self.hardware.is_empty() {
            said = said.with_hardware(find_hardware(&self.hardware)?);
        }
        if !self.model_config.is_empty() {
            said = said.with_model(read_model(&with_neighbours(&self.model_config))?);
            aside = Some("--model-config names the model".to_owned());
        } else if let [one] = found {
            match read_model(&with_neighbours(std::slice::from_ref(one))) {
                Ok(model) => (said, is_said) = (said.with_model(model), true),
                Err(error) => aside = Some(error.to_string()),
            }
        } else if !found.is_empty() {
            aside = Some("one of several model configurations: --model-config names it".to_owned());
        }
        said = said.with_plan(read_plan(&self.weights, self.kv)?);
        if let Some(devices) = self.devices {
            said = said.with_devices(self.fitting(devices)?);
        }
        if let Some(parallel) = self.parallel {
            said = said.with_parallel(parallel);
        }
        if let Some(speculation) = self.speculation {
            said = said.with_speculation(speculation);
        }
        Ok((is_said.then_some(said), aside))
    }

    /// Whether any of them was given.
    pub fn is_set(&self) -> bool {
        !self.hardware.is_empty()
            || !self.model_config.is_empty()
            || !self.weights.is_empty()
            || self.kv.is_some()
            || self.devices.is_some()
            || self.parallel.is_some()
            || self.speculation.is_some()
    }

    /// A number of devices that is one, and that whole replicas make.
    fn fitting(&self, devices: u64) -> Result<u64, Failure> {
        let most = Deployment::MOST_DEVICES;
        if !(1..=most).contains(&devices) {
            return Err(Failure::new(format!("--devices: expected 1 to {most}, found {devices}")));
        }
        let each = self.parallel.map_or(1, Parallel::devices);
        if !devices.is_multiple_of(each) {
            return Err(Failure::new(format!(
                "--devices {devices}: expected a multiple of the {each} of --parallel"
            )));
        }
        Ok(devices)
    }
}

/// The files with those that say how the weights of a configuration are stored.
fn with_neighbours(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut all = paths.to_vec();
    for path in paths {
        let beside = path.with_file_name("hf_quant_config.json");
        if path.is_file() && beside.is_file() && !all.contains(&beside) {
            all.push(beside);
        }
    }
    all
}
