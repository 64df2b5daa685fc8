//! What a config says of how keys and values are cached.

use serde_json::{Map, Value};

use super::quantisation::{given, text};
use crate::model::{ModelError, Scales, Stored};

/// The storage that a quantisation block states for the cache; `None` where it states none, or one
/// that is not known.
///
/// # Source
/// `kv_cache_scheme` of compressed-tensors, `kv_cache_quant_algo` of Model Optimizer.
pub(super) fn read(block: &Map<String, Value>) -> Result<Option<Stored>, ModelError> {
    if let Some(scheme) = given(block, "kv_cache_scheme").and_then(Value::as_object) {
        let bits = given(scheme, "num_bits").and_then(Value::as_u64);
        return Ok(match (text(scheme, "type")?, bits) {
            (Some("float"), Some(8)) => Some(Stored::Fp8(Scales::Tensor)),
            (Some("float"), Some(4)) => Some(Stored::Nvfp4),
            _ => None,
        });
    }
    Ok(match text(block, "kv_cache_quant_algo")? {
        Some("FP8") => Some(Stored::Fp8(Scales::Tensor)),
        Some("NVFP4") => Some(Stored::Nvfp4),
        _ => None,
    })
}
