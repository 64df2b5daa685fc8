//! Which tensor is stored how.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::fields::wrong_type;
use super::pattern::Pattern;
use super::{kv, quantisation};
use crate::model::error::shown;
use crate::model::{ModelError, ModelErrorKind, Role, Stored, Warning};

/// Which modules a rule of quantisation covers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Target {
    /// Every linear layer; the head only if so said.
    Linear {
        /// Whether the head counts as one.
        head: bool,
    },
    /// Routed experts.
    Experts,
    /// Modules of this name.
    Named(Pattern),
}

/// How the tensors of a model are stored.
#[derive(Debug)]
pub(super) struct Plan {
    plain: Stored,
    rules: Vec<(Target, Stored)>,
    /// Patterns left unquantised, and how many entries of the source each stands for.
    left_out: BTreeMap<Pattern, u64>,
    cache: Option<Stored>,
}

impl Plan {
    /// Reads the dtype and the quantisation of a config, and of a text beside it.
    pub(super) fn read(
        places: &[&Map<String, Value>],
        side: Option<&Value>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, ModelError> {
        let mut plan = Self {
            plain: dtype(places, warnings)?,
            rules: Vec::new(),
            cache: None,
            left_out: BTreeMap::new(),
        };
        let found = ["quantization_config", "compression_config"]
            .into_iter()
            .find_map(|name| places.iter().find_map(|p| p.get(name).filter(|v| !v.is_null())));
        let found = match (found, side) {
            (Some(value), _) => Some(value),
            (None, Some(side)) => Some(side.get("quantization").unwrap_or(side)),
            (None, None) => None,
        };
        if let Some(value) = found {
            let block = value
                .as_object()
                .ok_or_else(|| wrong_type("quantization_config", "an object", value))?;
            plan.cache = kv::read(block)?;
            let (rules, left_out) = quantisation::read(block)?;
            plan.rules = rules;
            for entry in left_out {
                match Pattern::read(entry) {
                    Some(pattern) => *plan.left_out.entry(pattern).or_insert(0) += 1,
                    None => warnings.push(Warning::UnreadPattern { pattern: shown(entry) }),
                }
            }
        }
        Ok(plan)
    }

    /// How keys and values are cached, where the source says so.
    pub(super) const fn cache(&self) -> Option<Stored> {
        self.cache
    }

    /// How unquantised tensors are stored.
    pub(super) const fn plain(&self) -> Stored {
        self.plain
    }

    /// How the copies of a matrix are stored: quantised ones first, then those left out.
    ///
    /// `layers` of the `copies` carry different numbers; a pattern that names a layer by its number
    /// leaves out the copies of that layer.
    pub(super) fn stored(
        &self,
        name: &str,
        role: Role,
        copies: u64,
        layers: u64,
    ) -> [(Stored, u64); 2] {
        let module = name.strip_suffix(".weight").unwrap_or(name);
        let Some(stored) = self.rule(module, role) else {
            return [(self.plain, copies), (self.plain, 0)];
        };
        let per_layer = copies / layers.max(1);
        let left_out = self.left_out.iter().filter(|(pattern, _)| pattern.names(module)).fold(
            0_u64,
            |all, (pattern, entries)| {
                let each = if pattern.numbers > 1 { 1 } else { per_layer };
                let copies = if pattern.numbered { entries.saturating_mul(each) } else { copies };
                all.saturating_add(copies)
            },
        );
        let left_out = left_out.min(copies);
        [(stored, copies - left_out), (self.plain, left_out)]
    }

    fn rule(&self, module: &str, role: Role) -> Option<Stored> {
        let linear = matches!(
            role,
            Role::Attn | Role::Indexer | Role::State | Role::FfnDense | Role::Expert | Role::Shared
        );
        let fits = |target: &Target| match target {
            Target::Linear { head } => linear || (*head && role == Role::Head),
            Target::Experts => role == Role::Expert,
            Target::Named(pattern) => pattern.names(module),
        };
        let named = |target: &Target| matches!(target, Target::Named(_)) && fits(target);
        let of = |fits: &dyn Fn(&Target) -> bool| {
            self.rules.iter().find(|(target, _)| fits(target)).map(|(_, stored)| *stored)
        };
        of(&named).or_else(|| of(&fits))
    }
}

/// The dtype of unquantised tensors; bf16 stands in, with a warning.
fn dtype(
    places: &[&Map<String, Value>],
    warnings: &mut Vec<Warning>,
) -> Result<Stored, ModelError> {
    for name in ["dtype", "torch_dtype"] {
        let Some(value) = places.iter().find_map(|p| p.get(name).filter(|v| !v.is_null())) else {
            continue;
        };
        let text = value.as_str().ok_or_else(|| wrong_type(name, "text", value))?;
        return match text.strip_prefix("torch.").unwrap_or(text) {
            "bfloat16" => Ok(Stored::Bf16),
            "float16" | "half" => Ok(Stored::F16),
            "float32" | "float" => Ok(Stored::F32),
            _ => Err(ModelError::new(
                ModelErrorKind::OutOfRange,
                format!("expected bfloat16, float16 or float32 in {name}, found {:?}", shown(text)),
            )),
        };
    }
    warnings.push(Warning::Defaulted {
        field: "torch_dtype".to_owned(),
        value: "bfloat16".to_owned(),
        because: "what nearly every checkpoint is published in".to_owned(),
    });
    Ok(Stored::Bf16)
}
