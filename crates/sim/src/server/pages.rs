//! What the server says of itself.

use serde_json::{Value, json};

use super::config::{Dialect, ServerConfig};
use super::driver::Driver;
use super::faults::Fault;
use super::plain::Plain;
use crate::{
    Load, Token, llama_cpp_metrics, tokenize, vllm_metrics, write_llama_cpp_log, write_mtplx_log,
    write_own_log, write_sglang_log,
};

fn page(body: &Value) -> Plain {
    plain("application/json", body.to_string())
}

fn plain(content_type: &'static str, text: impl Into<Vec<u8>>) -> Plain {
    Plain { status: 200, content_type, body: text.into(), retry_after: None }
}

/// The page at a path; `None` where there is none.
pub(super) fn page_at(driver: &Driver, path: &str) -> Option<Plain> {
    let config = driver.config();
    Some(match path {
        "/health" | "/ping" | "/v1/health" => page(&json!({"status": "ok"})),
        "/v1/models" => page(&models(config, driver.started_wall().as_nanos() / 1_000_000_000)),
        "/metrics" => plain("text/plain; version=0.0.4; charset=utf-8", metrics(driver)),
        "/slots" => page(&slots(config, driver.with_engine(|engine, _| engine.load()))),
        "/version" => page(&json!({"version": env!("CARGO_PKG_VERSION")})),
        "/server_info" | "/get_server_info" => {
            page(&json!({"model_path": config.name, "version": env!("CARGO_PKG_VERSION")}))
        }
        "/get_model_info" | "/model_info" => page(&json!({"model_path": config.name})),
        path if path.starts_with("/sim/log/") => {
            plain("text/plain; charset=utf-8", log(driver, path)?)
        }
        "/sim/ledger" => plain("application/jsonl", ledger(driver)),
        "/sim/load" => {
            let report = driver.lateness().report();
            let mut body = serde_json::to_value(&report).ok()?;
            body["bottleneck"] = serde_json::to_value(report.bottleneck()).ok()?;
            body["words"] = json!(report.to_string());
            page(&body)
        }
        "/sim/faults" => {
            let faults =
                Fault::ALL.iter().map(|help| json!({"form": help.form, "does": help.does}));
            page(&Value::Array(faults.collect()))
        }
        _ => return None,
    })
}

fn models(config: &ServerConfig, created: i64) -> Value {
    json!({
        "object": "list",
        "data": [{
            "id": config.name, "object": "model", "created": created, "owned_by": "trueline-sim",
            "root": config.name, "max_model_len": config.model.longest().get(),
        }],
    })
}

fn metrics(driver: &Driver) -> String {
    let (config, started) = (driver.config(), driver.started_wall());
    driver.with_engine(|engine, counted| match config.dialect {
        Dialect::Vllm => vllm_metrics(counted, engine.load(), &config.model, &config.name, started),
        Dialect::LlamaCpp => llama_cpp_metrics(counted, engine.load()),
    })
}

fn ledger(driver: &Driver) -> Vec<u8> {
    driver.with_engine(|engine, _| {
        let mut lines = Vec::new();
        // Memory takes all that is written to it.
        let _ = engine.ledger().write(&mut lines);
        lines
    })
}

/// The request log under the format's name; `None` where no format has it.
fn log(driver: &Driver, path: &str) -> Option<Vec<u8>> {
    let style = driver.log_style();
    driver.with_engine(|engine, _| {
        let (entries, mut lines) = (engine.ledger().entries(), Vec::new());
        let written = match path.strip_prefix("/sim/log/")? {
            "own" => write_own_log(entries, &style, &mut lines),
            "mtplx" => write_mtplx_log(entries, &style, &mut lines),
            "sglang" => write_sglang_log(entries, &style, &mut lines),
            "llama-cpp" => write_llama_cpp_log(entries, &style, &mut lines),
            _ => return None,
        };
        // Memory takes all that is written to it.
        written.ok().map(|()| lines)
    })
}

fn slots(config: &ServerConfig, load: Load) -> Value {
    let longest = config.model.longest().get();
    let slot = |id| json!({"id": id, "n_ctx": longest, "speculative": false, "is_processing": u64::from(id) < load.running});
    (0..config.model.max_streams).map(slot).collect()
}

/// The tokens of a text, as vLLM's page of that name gives them, and llama.cpp's.
pub(super) fn tokens_of(config: &ServerConfig, body: &[u8]) -> Plain {
    let asked: Option<Value> = serde_json::from_slice(body).ok();
    let text =
        asked.as_ref().and_then(|asked| asked.get("prompt").or_else(|| asked.get("content")));
    match text.and_then(Value::as_str) {
        Some(text) => {
            let ids: Vec<u64> = tokenize(text).into_iter().map(Token::id).collect();
            page(&json!({
                "count": ids.len(), "max_model_len": config.model.longest().get(), "tokens": ids,
            }))
        }
        None => Plain::error(
            400,
            "invalid_request_error",
            "expected text under prompt or content; a conversation's tokens are in its usage",
        ),
    }
}
