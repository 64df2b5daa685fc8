//! Which model a server has, by asking it.

use std::time::Duration;

use serde_json::Value;
use trueline::probe::Endpoint;
use trueline_examples::failure::Failure;

/// How long the answer may take.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// The only model that a server lists under `/v1/models`.
///
/// # Errors
/// A server that does not answer, or lists no model or several: which one is meant is then the caller's
/// to say.
pub fn only_model(endpoint: &Endpoint, key: Option<&str>) -> Result<String, Failure> {
    let base = endpoint.to_string();
    let base = base.split("/v1").next().unwrap_or(&base).trim_end_matches('/').to_owned();
    let url = format!("{base}/v1/models");
    let told = |why: String| {
        Failure::new(format!("{url}: expected the model's name, {why}; give it by --model NAME"))
    };
    let agent: ureq::Agent =
        ureq::Agent::config_builder().timeout_global(Some(ANSWERS_WITHIN)).build().into();
    let mut request = agent.get(&url);
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    let reply = request.call().map_err(|e| told(format!("found no answer ({e})")))?;
    let text = reply.into_body().read_to_string();
    let text = text.map_err(|e| told(format!("found an answer that broke off ({e})")))?;
    match named(&text).as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(told("found no list of models".to_owned())),
        several => Err(told(format!("found {}: {}", several.len(), several.join(", ")))),
    }
}

fn named(text: &str) -> Vec<String> {
    let list: Value = serde_json::from_str(text).unwrap_or_default();
    let models = list.get("data").and_then(Value::as_array).into_iter().flatten();
    models.filter_map(|model| model.get("id")?.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_the_ids_of_the_list() {
        assert_eq!(named(r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#), ["a", "b"]);
        assert!(named("<html>").is_empty());
        assert!(named(r#"{"data":[{"name":"a"}]}"#).is_empty());
    }
}
