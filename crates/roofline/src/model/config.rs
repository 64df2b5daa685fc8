//! Hugging Face `config.json`: which family, which sizes, how it is stored.

mod deepseek;
mod fields;
mod gemma;
mod gemma4;
mod glm;
mod gpt_oss;
mod grouped;
mod ignored;
mod kimi;
mod kv;
mod latent;
mod lenient;
mod limit;
mod linear;
mod llama;
mod mixtral;
mod moe;
mod mtp;
mod nemotron;
mod pace;
mod pattern;
mod plan;
mod quantisation;
mod qwen;
mod qwen_next;
mod site;

use serde_json::{Map, Value};

use super::error::shown;
use super::{Model, ModelError, ModelErrorKind, Warning};
use fields::Fields;
use plan::Plan;
use site::Site;

/// Builds one family.
type Build = fn(&mut Fields<'_>, &mut Site) -> Result<(), ModelError>;

/// The families that can be read, by `model_type`.
const FAMILIES: &[(&str, Build)] = &[
    ("deepseek_v3", deepseek::build),
    ("deepseek_v32", deepseek::build),
    ("gemma3_text", gemma::build),
    ("gemma4_text", gemma4::build),
    ("glm4_moe", glm::build),
    ("glm_moe_dsa", deepseek::build),
    ("gpt_oss", gpt_oss::build),
    ("kimi_k2", deepseek::build),
    ("kimi_linear", kimi::build),
    ("llama", llama::build),
    ("mistral", llama::build),
    ("mixtral", mixtral::build),
    ("nemotron_h", nemotron::build),
    ("qwen2", qwen::build),
    ("qwen3", qwen::build),
    ("qwen3_5_moe_text", qwen_next::build),
    ("qwen3_5_text", qwen_next::build),
    ("qwen3_moe", qwen::build),
    ("qwen3_next", qwen_next::build),
];

/// Fields that hold a description of the text model inside another one.
const NESTED: [&str; 3] = ["text_config", "llm_config", "language_config"];

pub(super) fn read(json: &str, quantisation: Option<&str>) -> Result<Model, ModelError> {
    let (value, replaced) = lenient::parse(json)?;
    let Value::Object(outer) = &value else {
        return Err(not_an_object(&value));
    };
    let mut warnings = Vec::new();
    if replaced > 0 {
        warnings.push(Warning::NotJson { count: replaced });
    }
    let text = text_model(outer, &mut warnings)?;
    let (family, build) = family(outer, text)?;

    let beside = quantisation.map(lenient::parse).transpose()?;
    let beside = beside.as_ref().map(|(value, _)| value);
    let plan = Plan::read(&[text, outer], beside, &mut warnings)?;

    let cache = plan.cache();
    let mut fields = Fields::new(text).within(outer);
    let mut site = Site::new(family, plan);
    build(&mut fields, &mut site)?;
    warnings.extend(fields.finish());
    let mut model = site.finish(warnings);
    model.cache = cache;
    Ok(model)
}

/// The object that describes the text model: the whole, or what is nested in it.
fn text_model<'a>(
    outer: &'a Map<String, Value>,
    warnings: &mut Vec<Warning>,
) -> Result<&'a Map<String, Value>, ModelError> {
    for field in NESTED {
        match outer.get(field) {
            None | Some(Value::Null) => {}
            Some(Value::Object(inner)) => {
                warnings.push(Warning::Nested { field: field.to_owned() });
                for (tower, what) in
                    [("vision_config", "the vision tower"), ("audio_config", "the audio tower")]
                {
                    if outer.get(tower).is_some_and(|v| !v.is_null()) {
                        warnings.push(Warning::NotCounted { what: what.to_owned() });
                    }
                }
                return Ok(inner);
            }
            Some(other) => {
                return Err(ModelError::new(
                    ModelErrorKind::WrongType,
                    format!("expected an object in {field}, found {}", fields::kind(other)),
                ));
            }
        }
    }
    Ok(outer)
}

/// The family: that of the text model, or of the whole where the inner one names none.
fn family<'a>(
    outer: &'a Map<String, Value>,
    text: &'a Map<String, Value>,
) -> Result<(&'a str, Build), ModelError> {
    let mut named = None;
    for place in [text, outer] {
        match place.get("model_type") {
            None | Some(Value::Null) => {}
            Some(Value::String(name)) => {
                named = named.or(Some(name.as_str()));
                if let Some((known, build)) = FAMILIES.iter().find(|(known, _)| known == name) {
                    return Ok((known, *build));
                }
            }
            Some(other) => {
                return Err(ModelError::new(
                    ModelErrorKind::WrongType,
                    format!("expected text in model_type, found {}", fields::kind(other)),
                ));
            }
        }
    }
    let known: Vec<&str> = FAMILIES.iter().map(|(name, _)| *name).collect();
    let found = named.map_or_else(|| "none".to_owned(), |name| format!("{:?}", shown(name)));
    let kind = if named.is_some() { ModelErrorKind::UnknownModel } else { ModelErrorKind::Missing };
    Err(ModelError::new(
        kind,
        format!("expected a model_type of {}; found {found}", known.join(", ")),
    ))
}

fn not_an_object(value: &Value) -> ModelError {
    ModelError::new(
        ModelErrorKind::NotJson,
        format!("expected a JSON object of a model's config, found {}", fields::kind(value)),
    )
}
