//! From a model's configuration to its bounds as JSON, beside reading the configuration as plain JSON, and
//! the header of a large GGUF file beside reading its bytes.

use std::hint::black_box;
use std::io;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trueline_core::{Tokens, TokensPerSecond};
use trueline_roofline::{
    Catalogue, Limits, LiveClocks, Model, Prefix, RuntimePlan, Setup, Speculation, Workload,
    estimate_roof, judge_claim,
};

/// DeepSeek-V3.2's published sizes: dense and sparse layers, latent attention, an indexer, fp8.
const DEEPSEEK: &str = r#"{"model_type": "deepseek_v32", "hidden_size": 7168, "num_hidden_layers": 61,
    "num_attention_heads": 128, "num_key_value_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
    "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1,
    "index_head_dim": 128, "index_n_heads": 64, "index_topk": 2048, "num_nextn_predict_layers": 1,
    "vocab_size": 129280, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
    "quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]}}"#;

/// A GGUF header: a vocabulary of so many words, so many layers of seven matrices.
fn gguf(words: u64, layers: u64) -> Vec<u8> {
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    let text = |bytes: &mut Vec<u8>, text: &str| {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    };
    let numbers =
        [("block_count", layers), ("embedding_length", 4096), ("attention.head_count", 32)];
    bytes.extend((7 * layers + 2).to_le_bytes());
    bytes.extend((2 + numbers.len() as u64).to_le_bytes());
    text(&mut bytes, "general.architecture");
    bytes.extend(8_u32.to_le_bytes());
    text(&mut bytes, "llama");
    for (key, value) in numbers {
        text(&mut bytes, &format!("llama.{key}"));
        bytes.extend(10_u32.to_le_bytes());
        bytes.extend(value.to_le_bytes());
    }
    text(&mut bytes, "tokenizer.ggml.tokens");
    bytes.extend(9_u32.to_le_bytes());
    bytes.extend(8_u32.to_le_bytes());
    bytes.extend(words.to_le_bytes());
    for word in 0..words {
        text(&mut bytes, &format!("word{word}"));
    }
    let mut offset = 0_u64;
    let mut tensor = |bytes: &mut Vec<u8>, name: &str, sides: [u64; 2]| {
        text(bytes, name);
        bytes.extend(2_u32.to_le_bytes());
        bytes.extend(sides.iter().flat_map(|side| side.to_le_bytes()));
        bytes.extend(1_u32.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        offset += 2 * sides[0] * sides[1];
    };
    tensor(&mut bytes, "token_embd.weight", [4096, 4096]);
    tensor(&mut bytes, "output.weight", [4096, 4096]);
    for layer in 0..layers {
        for name in ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
        {
            tensor(&mut bytes, &format!("blk.{layer}.{name}.weight"), [4096, 4096]);
        }
    }
    bytes
}

fn decode() -> Workload {
    let (context, speculation) = (Tokens::new(4096), Speculation::None);
    Workload::Decode { batch: 8, context, speculation, prefix: Prefix::Own }
}

fn roofline(c: &mut Criterion) {
    let h100 = Catalogue::built_in().get("H100 SXM").unwrap();
    let limits = Limits::of(h100, &LiveClocks::default());
    let workload = decode();
    let mut group = c.benchmark_group("roofline");
    group.throughput(Throughput::Bytes(DEEPSEEK.len() as u64));
    group.bench_function("config_as_plain_json", |bench| {
        bench.iter(|| serde_json::from_str::<serde_json::Value>(black_box(DEEPSEEK)).unwrap());
    });
    group.bench_function("config_to_model", |bench| {
        bench.iter(|| Model::from_hf_config(black_box(DEEPSEEK)).unwrap());
    });
    group.bench_function("config_to_bounds_as_json", |bench| {
        bench.iter(|| {
            let model = Model::from_hf_config(black_box(DEEPSEEK)).unwrap();
            let shape = RuntimePlan::default().shape(&model).unwrap();
            let limits = Limits::of(h100, &LiveClocks::default());
            let roof = estimate_roof(&shape, &workload, &limits).unwrap();
            serde_json::to_string(&roof).unwrap()
        });
    });
    let shape = RuntimePlan::default().shape(&Model::from_hf_config(DEEPSEEK).unwrap()).unwrap();
    let roof = estimate_roof(&shape, &workload, &limits).unwrap();
    let claim = TokensPerSecond::new(2.0 * roof.strict.high().get()).unwrap();
    group.throughput(Throughput::Elements(1));
    group.bench_function("judge_an_impossible_claim", |bench| {
        let setup = Setup::new(&shape, &workload, &limits);
        bench.iter(|| judge_claim(black_box(claim), setup, &roof));
    });
    let header = gguf(150_000, 100);
    group.throughput(Throughput::Bytes(header.len() as u64));
    group.bench_function("gguf_header_copied", |bench| {
        bench.iter(|| io::copy(&mut black_box(header.as_slice()), &mut io::sink()).unwrap());
    });
    group.bench_function("gguf_header_read", |bench| {
        bench.iter(|| Model::from_gguf_header(black_box(header.as_slice())).unwrap());
    });
    group.finish();
}

criterion_group!(benches, roofline);
criterion_main!(benches);
