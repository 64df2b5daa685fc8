//! What served a run, as far as somebody says so.

use trueline_roofline::{
    Catalogue, Hardware, Model, Parallel, Role, RuntimePlan, Speculation, Stored,
};

/// What served a run, as far as somebody says so: the device, the model, and how it ran.
///
/// What is not said is taken from the run's and the claim's own conditions (`hardware`, `quantization`,
/// `devices`, `speculative_decoding`) and from the host record (the GPU's name and memory clock). What
/// nobody says convicts nobody.
///
/// # Examples
/// ```
/// use trueline::Audit;
/// use trueline::ceiling::Deployment;
/// use trueline::claims::parse_claim;
/// use trueline::roofline::{Catalogue, Model, Speculation};
///
/// let model = Model::from_hf_config(
///     r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
///         "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
///         "intermediate_size": 14336, "vocab_size": 128256,
///         "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"#,
/// )?;
/// let served = Deployment::default()
///     .with_hardware(Catalogue::built_in().find_name("H100 SXM")?.clone())
///     .with_model(model)
///     .with_devices(1)
///     .with_speculation(Speculation::None);
/// // 15.0 GB of weights a token at 3.35 TB/s: 223 tok/s at most.
/// let claims = [parse_claim("c", "decode_tok_per_s = 400 at concurrency 1")?];
/// let report = Audit::new().deployment(served).judge(&claims);
/// assert_eq!(report.claims[0].revoked_by, ["above-ceiling"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Deployment {
    pub(super) hardware: Option<Hardware>,
    pub(super) catalogue: Catalogue,
    pub(super) model: Option<Model>,
    pub(super) plan: RuntimePlan,
    pub(super) devices: Option<u64>,
    pub(super) parallel: Option<Parallel>,
    pub(super) speculation: Speculation,
}

impl Default for Deployment {
    fn default() -> Self {
        Self {
            hardware: None,
            catalogue: Catalogue::built_in().clone(),
            model: None,
            plan: RuntimePlan::default(),
            devices: None,
            parallel: None,
            speculation: Speculation::Unknown,
        }
    }
}

impl Deployment {
    /// The most devices that are thought of.
    pub const MOST_DEVICES: u64 = 1024;

    /// On this device.
    #[must_use]
    pub fn with_hardware(mut self, hardware: Hardware) -> Self {
        self.hardware = Some(hardware);
        self
    }

    /// With the parts among which the device of a host record is looked for.
    #[must_use]
    pub fn with_catalogue(mut self, catalogue: Catalogue) -> Self {
        self.catalogue = catalogue;
        self
    }

    /// Of this model.
    #[must_use]
    pub fn with_model(mut self, model: Model) -> Self {
        self.model = Some(model);
        self
    }

    /// With what the engine does with the model: dtypes, cache, arithmetic.
    #[must_use]
    pub fn with_plan(mut self, plan: RuntimePlan) -> Self {
        self.plan = plan;
        self
    }

    /// Over so many devices in all, replicas included.
    #[must_use]
    pub const fn with_devices(mut self, devices: u64) -> Self {
        self.devices = Some(devices);
        self
    }

    /// With each replica spread so. Without [`Deployment::with_devices`] there is one replica.
    #[must_use]
    pub const fn with_parallel(mut self, parallel: Parallel) -> Self {
        self.parallel = Some(parallel);
        self
    }

    /// With or without drafted tokens.
    #[must_use]
    pub const fn with_speculation(mut self, speculation: Speculation) -> Self {
        self.speculation = speculation;
        self
    }

    /// Whether somebody says how the weights are stored at run time.
    pub(super) fn states_weights(&self) -> bool {
        RuntimePlan::QUANTISED.iter().any(|role| self.plan.weights(*role).is_some())
    }

    /// The plan with weights stored as a run says, where nobody else does. The run does not say whether the
    /// head is among them; that it is allows more.
    pub(super) fn plan_with(&self, stored: Option<Stored>) -> RuntimePlan {
        match stored {
            Some(stored) if !self.states_weights() => {
                self.plan.clone().with_all_weights(stored).with_weights(Role::Head, stored)
            }
            _ => self.plan.clone(),
        }
    }
}
