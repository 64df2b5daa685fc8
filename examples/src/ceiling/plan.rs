//! What the engine does with the model, as `--weights` and `--kv` say.

use std::fmt::Display;

use trueline_roofline::{Role, RuntimePlan, Stored};

use crate::failure::Failure;

/// The roles whose storage may be stated.
const ROLES: [(&str, Role); 8] = [
    ("attn", Role::Attn),
    ("expert", Role::Expert),
    ("ffn", Role::FfnDense),
    ("head", Role::Head),
    ("indexer", Role::Indexer),
    ("router", Role::Router),
    ("shared", Role::Shared),
    ("state", Role::State),
];

/// What the engine does with the model, by what `--weights` and `--kv` say.
///
/// # Errors
/// A role or a storage that is none.
pub(crate) fn read_plan(weights: &[String], kv: Option<Stored>) -> Result<RuntimePlan, Failure> {
    let mut plan = RuntimePlan::default();
    for text in weights {
        let refused = |e: &dyn Display| Failure::new(format!("--weights {text}: {e}"));
        plan = match text.split_once('=') {
            Some((role, stored)) => {
                let role = role_of(role).map_err(|e| refused(&e))?;
                plan.with_weights(role, stored.parse().map_err(|e| refused(&e))?)
            }
            None => plan.with_all_weights(text.parse().map_err(|e| refused(&e))?),
        };
    }
    if let Some(kv) = kv {
        plan = plan.with_kv(kv);
    }
    Ok(plan)
}

fn role_of(text: &str) -> Result<Role, String> {
    let found = ROLES.iter().find(|(name, _)| *name == text.trim());
    found.map(|(_, role)| *role).ok_or_else(|| {
        let known = ROLES.map(|(name, _)| name);
        format!("expected a role, one of {}; found {text:?}", known.join(", "))
    })
}
