//! Configs that are not as expected: a warning or a clear error, never a silent default.

use trueline_roofline::{
    LayerKind, LayerRun, Model, ModelError, ModelErrorKind, Role, Stored, Warning,
};

use crate::sizes::{self, model};

fn error(config: &str) -> ModelError {
    match Model::from_hf_config(config) {
        Ok(model) => panic!("read as {:?}", model.totals()),
        Err(error) => error,
    }
}

/// A config with one text replaced by another.
pub(super) fn changed(config: &str, from: &str, to: &str) -> String {
    assert!(config.contains(from), "{from} is not in the config");
    config.replace(from, to)
}

/// The error of such a config: its kind, and words that its text holds.
pub(super) fn check(config: &str, kind: ModelErrorKind, words: &[&str]) {
    let error = error(config);
    assert_eq!(error.kind(), kind, "{error}");
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "{word} is not in: {text}");
    }
    assert!(text.chars().next().is_some_and(char::is_lowercase) && !text.ends_with('.'), "{text}");
}

#[test]
fn a_head_width_that_is_missing_or_null_is_said_where_it_can_be_computed() {
    for to in ["", "\"head_dim\": null,"] {
        let config = changed(sizes::LLAMA_8B, "\"head_dim\": 128,", to);
        let model = model(&config);
        assert_eq!(model.warnings(), [Warning::MissingHeadDim { assumed: 128 }]);
        assert_eq!(model.totals().text.get(), 8_030_261_248);
    }
    // 2,048 / 32 = 64 is wrong for Qwen3: an error, not a guess.
    for (to, found) in [("", "no such field"), ("\"head_dim\": null,", "null")] {
        let config = changed(sizes::QWEN3_30B, "\"head_dim\": 128,", to);
        check(&config, ModelErrorKind::Missing, &["head_dim", found]);
    }
    let config = changed(sizes::LLAMA_8B, "\"head_dim\": 128,", "");
    let config = changed(&config, "\"num_attention_heads\": 32", "\"num_attention_heads\": 33");
    check(&config, ModelErrorKind::Contradiction, &["head_dim", "4096", "33 heads"]);
}

#[test]
fn an_unknown_family_is_an_error_that_lists_the_known_ones() {
    let config = changed(sizes::LLAMA_8B, "\"llama\"", "\"llama99\"");
    check(&config, ModelErrorKind::UnknownModel, &["llama99", "deepseek_v3", "qwen3_moe"]);
    check(r#"{"hidden_size": 4}"#, ModelErrorKind::Missing, &["model_type", "found none"]);
    check(r#"{"model_type": 3}"#, ModelErrorKind::WrongType, &["model_type", "a number"]);
    let long = format!(r#"{{"model_type": "{}\u0007"}}"#, "x".repeat(10_000));
    assert!(error(&long).to_string().len() < 600);
}

#[test]
fn a_nested_text_model_is_read_and_said() {
    let nested = format!(
        r#"{{"model_type": "mistral3", "text_config": {}, "vision_config": {{"depth": 3}}}}"#,
        sizes::LLAMA_8B
    );
    let model = model(&nested);
    assert_eq!(model.totals().text.get(), 8_030_261_248);
    assert_eq!(
        model.warnings(),
        [
            Warning::Nested { field: "text_config".to_owned() },
            Warning::NotCounted { what: "the vision tower".to_owned() },
        ]
    );
    // Whether the table is the head is often said of the whole alone.
    let inner = changed(sizes::LLAMA_8B, "\"tie_word_embeddings\": false,", "");
    let tied = format!(
        r#"{{"model_type": "mistral3", "tie_word_embeddings": true, "text_config": {inner}}}"#
    );
    let tied = Model::from_hf_config(&tied).unwrap();
    assert!(tied.is_tied());
    assert_eq!(tied.totals().text.get(), 8_030_261_248 - 525_336_576);
    check(
        r#"{"model_type": "gemma3", "text_config": [1]}"#,
        ModelErrorKind::WrongType,
        &["text_config", "a list"],
    );
}

#[test]
fn sizes_that_no_model_has_are_refused() {
    for size in ["-1", "0", "1e30", "18446744073709551615", "99999999999999999999999"] {
        let config = changed(
            sizes::LLAMA_8B,
            "\"num_hidden_layers\": 32",
            &format!("\"num_hidden_layers\": {size}"),
        );
        check(&config, ModelErrorKind::OutOfRange, &["num_hidden_layers", "from 1 to 4096"]);
    }
    for (size, found) in
        [("\"32\"", "text"), ("true", "true or false"), ("[32]", "a list"), ("{}", "an object")]
    {
        let config = changed(
            sizes::LLAMA_8B,
            "\"num_hidden_layers\": 32",
            &format!("\"num_hidden_layers\": {size}"),
        );
        check(&config, ModelErrorKind::WrongType, &["num_hidden_layers", "a whole number", found]);
    }
    let config =
        changed(sizes::LLAMA_8B, "\"num_hidden_layers\": 32", "\"num_hidden_layers\": 32.5");
    check(&config, ModelErrorKind::WrongType, &["32.5"]);
    // Each size is within its limit; together they are beyond any model.
    let config = changed(sizes::QWEN3_30B, "\"num_experts\": 128", "\"num_experts\": 16384");
    let config =
        changed(&config, "\"moe_intermediate_size\": 768", "\"moe_intermediate_size\": 4194304");
    check(&config, ModelErrorKind::OutOfRange, &["10^15"]);
}

#[test]
fn text_that_is_no_object_is_refused() {
    for text in ["", "{", "[]", "null", "3", "\u{0}", "{\"model_type\": \"llama\"} x"] {
        assert_eq!(error(text).kind(), ModelErrorKind::NotJson, "{text:?}");
    }
}

#[test]
fn a_field_that_is_not_understood_is_said() {
    let config = changed(sizes::LLAMA_8B, "{", "{\"shrink_factor\": 2,");
    let field = "shrink_factor".to_owned();
    assert_eq!(model(&config).warnings(), [Warning::UnknownField { field }]);
}

#[test]
fn a_default_that_stands_in_is_said() {
    let config = changed(sizes::LLAMA_8B, "\"tie_word_embeddings\": false,", "");
    let config = changed(&config, ", \"torch_dtype\": \"bfloat16\"", "");
    let model = model(&config);
    let defaulted: Vec<&str> = model
        .warnings()
        .iter()
        .filter_map(|w| match w {
            Warning::Defaulted { field, .. } => Some(field.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(defaulted, ["torch_dtype", "tie_word_embeddings"]);
    // What published Gemma 3 configs leave out.
    let gemma = r#"{"model_type": "gemma3", "text_config": {"model_type": "gemma3_text",
        "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34,
        "sliding_window": 1024}, "vision_config": {}}"#;
    let gemma = Model::from_hf_config(gemma).unwrap();
    assert_eq!(gemma.totals().text.get(), 3_880_263_168);
    assert!(gemma.is_tied() && gemma.warnings().len() >= 7, "{:?}", gemma.warnings());
}

#[test]
fn an_unknown_dtype_is_refused() {
    let config = changed(sizes::LLAMA_8B, "\"bfloat16\"", "\"float4\"");
    check(&config, ModelErrorKind::OutOfRange, &["torch_dtype", "bfloat16, float16", "float4"]);
}

#[test]
fn windows_are_used_where_the_config_says_so() {
    let mistral = changed(sizes::LLAMA_8B, "\"llama\"", "\"mistral\"");
    let mistral = changed(&mistral, "{", "{\"sliding_window\": 4096,");
    let kind = LayerKind::Window { heads: 32, kv_heads: 8, head_dim: 128, window: 4096 };
    assert_eq!(model(&mistral).layers().first(), Some(&LayerRun { kind, count: 32 }));
    // Qwen states a window and does not use it, unless a second field says so.
    let qwen = changed(sizes::QWEN25_7B, "\"sliding_window\": null", "\"sliding_window\": 131072");
    assert_eq!(model(&qwen).layers().first().unwrap().count, 28);
    let used = changed(&qwen, "{", "{\"use_sliding_window\": true, \"max_window_layers\": 20,");
    let counts: Vec<u64> = model(&used).layers().iter().map(|run| run.count).collect();
    assert_eq!(counts, [20, 8, 28]);
}

#[test]
fn a_list_of_layers_of_another_length_is_refused() {
    let config = changed(sizes::GPT_OSS_120B, "{", "{\"layer_types\": [\"full_attention\"],");
    check(&config, ModelErrorKind::Contradiction, &["36 entries", "found 1"]);
    let config = changed(
        &changed(sizes::GPT_OSS_120B, "\"num_hidden_layers\": 36", "\"num_hidden_layers\": 1"),
        "{\"model_type\"",
        "{\"layer_types\": [\"round_attention\"], \"model_type\"",
    );
    check(&config, ModelErrorKind::OutOfRange, &["round_attention"]);
}

#[test]
fn another_storage_at_run_time_replaces_that_of_the_config() {
    // gpt-oss-120b on GB10 was launched with its attention and head in mxfp4 too.
    let shipped = model(sizes::GPT_OSS_120B);
    let launched = shipped
        .clone()
        .with_stored(Role::Attn, Stored::Mxfp4)
        .and_then(|m| m.with_stored(Role::Head, Stored::Mxfp4))
        .unwrap();
    let fewest = |m: &Model| m.streamed().unwrap().fewest().get();
    // Worked out by hand: 54.6 tok/s as shipped, 99.4 as launched, on 273 GB/s, with the cache of
    // some context.
    assert!((273e9 / fewest(&shipped) / 54.6 - 1.0).abs() < 0.05, "{}", 273e9 / fewest(&shipped));
    assert!((273e9 / fewest(&launched) / 99.4 - 1.0).abs() < 0.05, "{}", 273e9 / fewest(&launched));
    let refused = shipped.with_stored(Role::Attn, Stored::Gguf(trueline_roofline::GgmlType::Q4K));
    assert_eq!(refused.unwrap_err().kind(), ModelErrorKind::Contradiction);
}

#[test]
fn a_model_is_written_with_units_in_its_names() {
    let json = serde_json::to_value(model(sizes::MIXTRAL)).unwrap();
    assert_eq!(
        json["layers"][1],
        serde_json::json!({
            "kind": "moe", "experts": 8, "top_k": 2, "width": 14336, "shared": 0, "count": 32
        })
    );
    assert_eq!(json["tensors"][0]["role"], "embed");
    assert_eq!(json["tensors"][0]["bytes_each"], 2 * 32_000 * 4096);
    for run in model(sizes::KIMI_LINEAR).layers() {
        let text = serde_json::to_string(run).unwrap();
        assert_eq!(serde_json::from_str::<LayerRun>(&text).unwrap(), *run);
    }
}

#[test]
fn members_of_a_family_with_other_tensors_are_refused() {
    for (from, to, word) in [
        ("\"enable_moe_block\": false", "\"enable_moe_block\": true", "enable_moe_block"),
        (
            "\"hidden_size_per_layer_input\": 0",
            "\"hidden_size_per_layer_input\": 256",
            "hidden_size_per_layer_input",
        ),
    ] {
        let config = changed(sizes::GEMMA4_31B, from, to);
        check(&config, ModelErrorKind::UnknownModel, &[word, "dense Gemma 4"]);
    }
    let config = changed(
        sizes::KIMI_LINEAR,
        "{\"model_type\"",
        "{\"routed_expert_hidden_size\": 3584, \"model_type\"",
    );
    check(&config, ModelErrorKind::UnknownModel, &["routed_expert_hidden_size"]);
}
