//! `estimate_ceiling` as a stranger runs it.

use std::path::PathBuf;

use serde_json::Value;

use crate::documents::{fits, held, read};
use crate::programs::{program, run, text};

/// Llama-3.1-8B's published sizes.
const LLAMA_8B: &str = r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
    "intermediate_size": 14336, "vocab_size": 128256,
    "attention_bias": false, "mlp_bias": false, "tie_word_embeddings": false,
    "torch_dtype": "bfloat16"}"#;

/// gpt-oss-120b's published sizes.
const GPT_OSS_120B: &str = r#"{"model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 36,
    "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880,
    "vocab_size": 201088, "tie_word_embeddings": false, "attention_bias": true,
    "num_local_experts": 128, "num_experts_per_tok": 4, "sliding_window": 128, "torch_dtype": "bfloat16",
    "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn",
    "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]}}"#;

/// A file of its own, gone with the value.
pub(crate) struct File(PathBuf);

impl File {
    pub(crate) fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let name = format!("trueline-ceiling-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn tree(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    root.join(path).to_str().unwrap().to_owned()
}

/// The results and the exit status, for words of a command line and a model.
fn results(words: &str, model: &str) -> (Value, Option<i32>) {
    let mut arguments: Vec<&str> = words.split_whitespace().collect();
    arguments.extend(["--model-config", model, "--format", "json"]);
    let output = run("estimate_ceiling", &arguments);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{words}: {e}: {}", text(&output.stderr)));
    (report["results"].clone(), output.status.code())
}

fn near(value: &Value, expected: f64, tolerance: f64) {
    let got = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!((got / expected - 1.0).abs() <= tolerance, "{got} is not {expected}");
}

#[test]
fn a_decode_ceiling_is_bandwidth_over_the_bytes_of_a_step() {
    let model = File::new("decode.json", LLAMA_8B);
    let words = "--hardware H100-SXM --context 4096 --batch 1 --kv bf16 --speculation none";
    let (results, status) = results(words, model.path());
    assert_eq!(status, Some(0));
    // By hand: 7,504,658,432 weights of 2 B and 4,097 x 131,072 B of keys and values, 50 MiB of them in the
    // cache; at 3,352.3 GB/s.
    near(&results["strict_tok_per_s"][1], 3.3523e12 / (15.009e9 + 0.537e9 - 52.4e6), 1e-3);
    near(&results["model_tok_per_s"][0], 3.35e12 / 15.546e9, 1e-3);
    assert_eq!((&results["bound"], &results["verdict"]), (&"memory".into(), &Value::Null));
    near(&results["memory"]["weights_byte"], 15.009e9, 1e-3);
    near(&results["memory"]["kv_byte"], 0.5369e9, 1e-3);
    assert_eq!(results["memory"]["fits"], true);
    let kinds = results["by_layer_kind"].as_array().unwrap();
    let shares: f64 = kinds.iter().map(|kind| kind["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9 && kinds.len() == 4, "{kinds:?}");
    // Feed-forward: 11.27 of 15.55 GB; without it the rest takes 1 / (1 - 0.725) = 3.64 of the time.
    near(&kinds[2]["headroom"], 3.64, 1e-2);
}

#[test]
fn a_claim_above_the_ceiling_is_impossible_and_its_causes_are_ranked() {
    let model = File::new("claim.json", LLAMA_8B);
    let words = "--hardware H100-SXM --context 4096 --batch 1 --kv bf16 --speculation none --claim";
    let (impossible, status) = results(&format!("{words} 400"), model.path());
    assert_eq!((&impossible["verdict"], status), (&"impossible".into(), Some(1)));
    // 400 tok/s at 3,352 GB/s are 8.38 GB a step: 8.5 bits a weight beside the keys and values.
    assert_eq!(impossible["causes"][0]["parameter"], "dtype");
    near(&impossible["causes"][0]["needed_bits_per_weight"], 8.5, 1e-2);
    let (below, status) = results(&format!("{words} 150"), model.path());
    assert_eq!((&below["verdict"], status), (&"not_excluded".into(), Some(0)));
    near(&below["efficiency"]["of_strict"], 150.0 / 216.4, 1e-2);
    let (far, _) = results(&format!("{words} 15"), model.path());
    assert_eq!(far["verdict"], "far_below");
}

#[test]
fn a_claim_has_its_fate_and_a_finding_behind_it() {
    let model = File::new("fate.json", LLAMA_8B);
    let told = |words: &str| {
        let base = "--context 4096 --batch 1 --kv bf16 --speculation none";
        let mut arguments: Vec<&str> = base.split_whitespace().collect();
        arguments.extend(words.split_whitespace());
        arguments.extend(["--model-config", model.path(), "--format", "json"]);
        let output = run("estimate_ceiling", &arguments);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let claim = &report["claims"][0];
        let found = report["findings"].as_array().unwrap();
        let codes: Vec<String> =
            found.iter().map(|f| f["code"].as_str().unwrap().to_owned()).collect();
        (claim["status"].as_str().unwrap().to_owned(), codes, output.status.code())
    };
    // 696 GB/s over 15.5 GB are 45 tok/s; A40's bandwidth has no verified source, so it convicts nobody.
    let undecided = told("--hardware A40 --claim 80");
    assert_eq!(undecided, ("not_shown".into(), vec!["ceiling-undecidable".into()], Some(0)));
    let revoked = told("--hardware H100-SXM --claim 400");
    assert_eq!(revoked, ("revoked".into(), vec!["above-ceiling".into()], Some(1)));
    let allowed = told("--hardware H100-SXM --claim 400 --allow above-ceiling=known");
    assert_eq!((allowed.0.as_str(), allowed.2), ("not_shown", Some(0)));
    assert_eq!(
        told("--hardware A40 --claim 1"),
        ("not_shown".into(), vec!["far-below-ceiling".into()], Some(0))
    );
    assert_eq!(told("--hardware A40 --claim 30"), ("not_shown".into(), vec![], Some(0)));
}

#[test]
fn what_nobody_stated_convicts_nobody() {
    let model = File::new("open.json", LLAMA_8B);
    let verdict = |words: &str| {
        let words = format!("--hardware H100-SXM --context 4096 --kv bf16 {words}");
        let (results, status) = results(&words, model.path());
        (results["verdict"].as_str().unwrap().to_owned(), status)
    };
    let (undecidable, impossible) = ("undecidable".to_owned(), "impossible".to_owned());
    // Drafts may give up to six tokens a pass; a rate may be that of many sequences.
    assert_eq!(verdict("--batch 1 --claim 400"), (undecidable.clone(), Some(0)));
    assert_eq!(verdict("--batch 1 --claim 1400"), (impossible.clone(), Some(1)));
    assert_eq!(verdict("--speculation none --claim 400"), (undecidable, Some(0)));
    assert_eq!(verdict("--speculation none --batch 1 --claim 400"), (impossible.clone(), Some(1)));
    // The rate of one request is highest when it is alone.
    let of_one = "--speculation none --claim decode_tok_per_s=400";
    assert_eq!(verdict(of_one), (impossible, Some(1)));
}

/// spark-arena/recipe-registry issue 17: 59.5 tok/s on GB10, where the configuration's dtypes allow 54.6; in
/// mxfp4 on attention and head 99.4.
#[test]
fn weights_stored_otherwise_than_the_configuration_says_are_the_cause_and_the_cure() {
    let model = File::new("oss.json", GPT_OSS_120B);
    let words = "--hardware GB10 --context 1 --batch 1 --kv fp8 --speculation none --claim 59.5";
    let (as_said, status) = results(words, model.path());
    assert_eq!((&as_said["verdict"], status), (&"impossible".into(), Some(1)));
    assert_eq!(as_said["causes"][0]["parameter"], "dtype");
    near(&as_said["model_tok_per_s"][1], 54.6, 1e-2);
    let (as_run, status) =
        results(&format!("{words} --weights attn=mxfp4 --weights head=mxfp4"), model.path());
    assert_eq!((&as_run["verdict"], status), (&"not_excluded".into(), Some(0)));
    near(&as_run["model_tok_per_s"][1], 99.4, 1e-2);
}

#[test]
fn a_clock_explains_what_it_can_and_no_more() {
    let model = File::new("clock.json", LLAMA_8B);
    let clock = |words: &str| {
        let words = format!("--hardware H100-SXM --kv bf16 --sm-clock 660 {words}");
        results(&words, model.path()).0["claims"][0]["clock"].clone()
    };
    // 660 of 1,830 MHz is 36 %. At a prompt of 24,750 the model ceiling is 48,400 tok/s or more, and a
    // third of the clock suffices for a quarter of that; for 115 tok/s it does not.
    let enough = clock("--prompt 24750 --claim 14000");
    assert_eq!(enough["explains"], true);
    near(&enough["clock_ratio"], 660.0 / 1830.0, 1e-9);
    assert_eq!(clock("--prompt 24750 --claim 115")["explains"], false);
    // Decode reads weights, at any clock of the processor.
    let decode = clock("--context 4096 --batch 1 --speculation none --claim 150");
    assert_eq!(decode["explains"], false);
    assert!(decode["text"].as_str().unwrap().contains("memory bandwidth"));
    let full = "--hardware H100-SXM --kv bf16 --sm-clock 1900 --prompt 24750 --claim 115";
    assert_eq!(results(full, model.path()).0["claims"][0]["clock"], Value::Null);
}

#[test]
fn claims_in_other_quantities_come_to_rates() {
    let model = File::new("units.json", LLAMA_8B);
    let rate = |words: &str| {
        let words = format!("--hardware H100-SXM {words}");
        results(&words, model.path()).0["claims"][0]["tok_per_s"].clone()
    };
    near(&rate("--prompt 8000 --claim ttft_ms=400"), 20_000.0, 1e-9);
    near(&rate("--context 99 --batch 8 --claim tpot_ms=10"), 800.0, 1e-9);
    near(&rate("--context 99 --batch 8 --claim decode_tok_per_s=50"), 400.0, 1e-9);
    near(&rate("--isl 1500 --osl 500 --claim request_per_s=2"), 1_000.0, 1e-9);
    near(&rate("--isl 1500 --osl 500 --claim total_tok_per_s=4000"), 1_000.0, 1e-9);
    assert_eq!(rate("--isl 1500 --osl 500 --claim queue_s=1"), Value::Null);
}

#[test]
fn headers_and_configurations_are_told_by_their_content() {
    let gguf = tree("crates/roofline/tests/data/qwen3moe.gguf.head");
    let (results, status) = results("--hardware RTX-4090 --context 100", &gguf);
    assert_eq!((status, &results["model"]["family"]), (Some(0), &"qwen3moe".into()));
    // A safetensors header lists tensors and tells no layers.
    let header = tree("crates/roofline/tests/data/int8.safetensors.head");
    let output = run("estimate_ceiling", &["--hardware", "RTX 4090", "--model-config", &header]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("config.json would tell"), "{}", text(&output.stderr));
}

#[test]
fn a_part_of_ones_own_is_a_file_and_the_list_shows_it() {
    let own = File::new(
        "own.toml",
        "[source.sheet]\ntitle = \"a sheet\"\nread = \"2026-11-29\"\n[[part]]\nname = \"Own One\"\n\
         [[part.says]]\nsource = \"sheet\"\ntag = \"datasheet\"\nunits = 10\nclock_mhz = 1000\n\
         max_clock_mhz = 1000\ndense_flop_per_clk = { bf16_f32 = 1000, f16_f32 = 1000 }\ngb_per_s = 100\n",
    );
    let model = File::new("own.json", LLAMA_8B);
    let words = format!("--hardware {} --context 1 --batch 1 --kv bf16", own.path());
    let (results, _) = results(&words, model.path());
    assert_eq!(results["hardware"], "Own One");
    // By hand: 15.009 GB at 100 GB/s.
    near(&results["model_tok_per_s"][1], 6.66, 1e-2);
    let listed = text(&run("estimate_ceiling", &["--list", "--hardware", own.path()]).stdout);
    assert!(listed.lines().nth(1).unwrap().starts_with("Own One"), "{listed}");
    assert!(listed.contains("H100 SXM") && listed.lines().all(|l| l.chars().count() <= 100));
}

#[test]
fn the_text_is_a_screen_with_a_picture() {
    let model = File::new("text.json", LLAMA_8B);
    let words = ["--hardware", "H100 SXM", "--context", "4096", "--batch", "1", "--kv", "bf16"];
    let arguments =
        [&words[..], &["--speculation", "none", "--model-config", model.path()]].concat();
    let screen = text(&run("estimate_ceiling", &arguments).stdout);
    assert!(screen.lines().count() <= 40, "{screen}");
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    for part in ["Strict ceiling", "216.4 tok/s", "feed-forward", "1.21x", "o the model ceiling"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    // The point lies where the slope does: at one operation a byte and 3.7 TFLOP/s.
    let row =
        screen.lines().find(|line| line.contains('o') && line.contains('|') && line.contains('\''));
    assert!(row.is_some(), "{screen}");
}

#[test]
fn bad_usage_and_hostile_files_are_one_line_and_status_2() {
    let model = File::new("bad.json", LLAMA_8B);
    let absurd = LLAMA_8B.replace("14336", "9007199254740993000");
    let files = [
        File::new("empty.json", ""),
        File::new("list.json", "[1, 2]"),
        File::new("absurd.json", absurd),
        File::new("negative.json", LLAMA_8B.replace("4096", "-4096")),
        File::new("family.json", LLAMA_8B.replace("llama", "\\u001b[31mnew")),
        File::new("deep.json", "{\"a\":".repeat(100_000)),
        File::new("lies.gguf", b"GGUF\x03\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7f\0\0\0\0\0\0\0\0"),
        File::new("lies.safetensors", b"\xff\xff\xff\xff\xff\x7f\0\0{\"a\":"),
    ];
    for file in &files {
        let output = run("estimate_ceiling", &["--hardware", "A40", "--model-config", file.path()]);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{}: {error}", file.path());
        assert!(error.lines().count() == 1 && !error.contains('\u{1b}'), "{error}");
        assert!(output.stdout.is_empty());
    }
    for (words, part) in [
        ("", "--list shows"),
        ("--hardware MI3000X", "the nearest are MI300X"),
        ("--hardware H100", "H100 PCIe"),
        ("--hardware A40 --batch 0", "at least one"),
        ("--hardware A40 --prompt 5 --context 7", "belongs to decode"),
        ("--hardware A40 --isl 5", "--osl"),
        ("--hardware A40 --isl 5 --osl 5 --cached 5", "fewer cached"),
        ("--hardware A40 --weights fp4", "nvfp4"),
        ("--hardware A40 --kv Q4_K_M", "mixture"),
        ("--hardware A40 --weights heart=bf16", "head"),
        ("--hardware A40 --parallel tp=2 --devices 3", "product"),
        ("--hardware A40 --devices 0", "1 to 1024"),
        ("--hardware A40 --speculation many", "none"),
        ("--hardware A40 --sm-clock=-5", "MHz"),
        ("--hardware A40 --claim=-3", "negative"),
        ("--hardware A40 --claim nan", "finite"),
        ("--hardware A40 --context 9 --batch 2 --claim output_tok_per_s=3@", "finite"),
    ] {
        let mut arguments: Vec<&str> = words.split_whitespace().collect();
        arguments.extend(["--model-config", model.path()]);
        let output = run("estimate_ceiling", &arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {error}");
        assert!(error.contains(part), "{words}: {error}");
    }
}

#[test]
fn several_devices_without_a_way_take_the_best_and_say_so() {
    let model = File::new("spread.json", LLAMA_8B);
    let words = "--hardware H100-SXM --context 4096 --batch 1 --kv bf16 --speculation none";
    let (two, _) = results(&format!("{words} --devices 2"), model.path());
    assert_eq!(
        (&two["parallel"], &two["parallel_chosen"]),
        (&"tp=2,pp=1,ep=1".into(), &true.into())
    );
    let (stated, _) = results(&format!("{words} --parallel pp=2"), model.path());
    // A pipeline gives one stream the bandwidth of one device.
    near(&stated["strict_tok_per_s"][1], 216.4, 1e-2);
    assert!(two["strict_tok_per_s"][1].as_f64() > stated["strict_tok_per_s"][1].as_f64());
}

#[test]
fn the_document_shows_what_the_program_prints() {
    let model = File::new("document.json", LLAMA_8B);
    let words =
        "--hardware H100-SXM --context 4096 --batch 1 --kv bf16 --speculation none --claim 400";
    let mut arguments: Vec<&str> = words.split_whitespace().collect();
    arguments.extend(["--model-config", model.path()]);
    let screen = text(&run("estimate_ceiling", &arguments).stdout);
    let command = words.replace("H100-SXM", "\"H100 SXM\" --model-config config.json \\\n   ");
    let shown = format!(
        "<!-- example begins -->\n```text\n$ cargo run --release --example estimate_ceiling -- {command}\n\
         {screen}```\n"
    );
    let document = read("docs/ceiling.md");
    let (head, rest) = document.split_once("<!-- example begins -->\n").unwrap();
    let (_, tail) = rest.split_once("<!-- example ends -->").unwrap();
    held("docs/ceiling.md", &format!("{head}{shown}<!-- example ends -->{tail}"));
}

#[test]
fn the_report_fits_the_documented_schema() {
    let document = read("docs/report-schema.md");
    let (_, rest) = document.split_once("```json\n").unwrap();
    let schema: Value = serde_json::from_str(rest.split_once("```").unwrap().0).unwrap();
    let (_, rest) = document.split_once("## `results` of `estimate_ceiling`").unwrap();
    let (section, _) = rest.split_once("\n## ").unwrap();
    let model = File::new("schema.json", LLAMA_8B);
    for words in ["--context 9 --claim 400", "--prompt 9 --claim 4 --sm-clock 900", "--list"] {
        let mut arguments = vec!["--hardware", "H100 SXM", "--format", "json"];
        arguments.extend(words.split_whitespace().chain(["--model-config", model.path()]));
        let report: Value =
            serde_json::from_slice(&run("estimate_ceiling", &arguments).stdout).unwrap();
        fits(&report, &schema, "report");
        for claim in report["claims"].as_array().unwrap() {
            fits(claim, &schema["$defs"]["claim"], "claim");
        }
        for finding in report["findings"].as_array().unwrap() {
            fits(finding, &schema["$defs"]["finding"], "finding");
        }
        let results = report["results"].as_object().unwrap();
        let nested = ["claims", "by_layer_kind", "memory", "model", "parts"];
        let rows = nested.iter().filter_map(|name| results.get(*name)).flat_map(|value| {
            let list = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
            list.into_iter().filter_map(|row| row.as_object().cloned())
        });
        let keys = rows.flat_map(|row| row.keys().cloned().collect::<Vec<_>>());
        for key in keys.chain(results.keys().cloned()) {
            assert!(section.contains(&format!("`{key}")), "{key} is not documented");
        }
    }
}

/// Each states far more than it holds: what is kept does not grow with what is stated.
#[test]
#[cfg(target_os = "linux")]
fn hostile_files_are_refused_in_little_memory() {
    let gguf = |tensors: u64, keys: u64, tail: &[u8]| {
        let mut file = b"GGUF\x03\0\0\0".to_vec();
        file.extend(tensors.to_le_bytes());
        file.extend(keys.to_le_bytes());
        file.extend(tail);
        file
    };
    let mut list = 1_u64.to_le_bytes().to_vec();
    list.push(b'k');
    list.extend([9, 0, 0, 0, 8, 0, 0, 0]);
    list.extend((1_u64 << 40).to_le_bytes());
    let layers = LLAMA_8B.replace("\"num_hidden_layers\": 32", "\"num_hidden_layers\": 4000000000");
    let types =
        format!("{{\"model_type\": \"gpt_oss\", \"layer_types\": [{}1]}}", "1,".repeat(900_000));
    let mut long = (1_u64 << 40).to_le_bytes().to_vec();
    long.extend(b"{\"a\":");
    let files = [
        File::new("m1.gguf", gguf(999_999, 1, &[])),
        File::new("m2.gguf", gguf(1, 1, &list)),
        File::new("m3.gguf", gguf(1, 1 << 50, &[])),
        File::new("m4.safetensors", long),
        File::new("m5.json", layers),
        File::new("m6.json", types),
        File::new("m7.json", format!("[{}", "[".repeat(1_000_000))),
    ];
    for file in &files {
        // 200 MB of address space: the program and its threads take most of it.
        let limited = format!(
            "ulimit -v 200000; exec {} --hardware A40 --model-config {}",
            program("estimate_ceiling").display(),
            file.path()
        );
        let output = std::process::Command::new("sh").args(["-c", &limited]).output().unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{}: {error}", file.path());
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
