//! Sizes of published models, as their configs state them, and what is published of the totals.
//!
//! Hyper-parameters are facts; each text holds only the fields that change a size.

use trueline_roofline::Model;

pub(super) const LLAMA_8B: &str = r#"{"model_type": "llama", "hidden_size": 4096,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
    "intermediate_size": 14336, "vocab_size": 128256, "tie_word_embeddings": false,
    "attention_bias": false, "mlp_bias": false, "torch_dtype": "bfloat16"}"#;

pub(super) const LLAMA_70B: &str = r#"{"model_type": "llama", "hidden_size": 8192,
    "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128,
    "intermediate_size": 28672, "vocab_size": 128256, "tie_word_embeddings": false,
    "attention_bias": false, "mlp_bias": false, "torch_dtype": "bfloat16"}"#;

pub(super) const LLAMA2_7B: &str = r#"{"model_type": "llama", "hidden_size": 4096,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "head_dim": 128,
    "intermediate_size": 11008, "vocab_size": 32000, "tie_word_embeddings": false,
    "attention_bias": false, "mlp_bias": false, "torch_dtype": "float16"}"#;

pub(super) const LLAMA2_70B: &str = r#"{"model_type": "llama", "hidden_size": 8192,
    "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128,
    "intermediate_size": 28672, "vocab_size": 32000, "tie_word_embeddings": false,
    "attention_bias": false, "mlp_bias": false, "torch_dtype": "float16"}"#;

pub(super) const QWEN25_7B: &str = r#"{"model_type": "qwen2", "hidden_size": 3584,
    "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
    "intermediate_size": 18944, "vocab_size": 152064, "tie_word_embeddings": false,
    "sliding_window": null, "torch_dtype": "bfloat16"}"#;

pub(super) const QWEN3_30B: &str = r#"{"model_type": "qwen3_moe", "hidden_size": 2048,
    "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
    "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128,
    "num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": [],
    "vocab_size": 151936, "tie_word_embeddings": false, "attention_bias": false,
    "torch_dtype": "bfloat16"}"#;

pub(super) const QWEN3_NEXT: &str = r#"{"model_type": "qwen3_next", "hidden_size": 2048,
    "num_hidden_layers": 48, "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256,
    "intermediate_size": 5120, "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512,
    "num_experts": 512, "num_experts_per_tok": 10, "decoder_sparse_step": 1, "mlp_only_layers": [],
    "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
    "linear_value_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 32,
    "vocab_size": 151936, "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"#;

pub(super) const QWEN35_35B: &str = r#"{"model_type": "qwen3_5_moe", "text_config": {
    "model_type": "qwen3_5_moe_text", "hidden_size": 2048, "num_hidden_layers": 40,
    "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256, "num_experts": 256,
    "num_experts_per_tok": 8, "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512,
    "full_attention_interval": 4, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
    "linear_value_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 32,
    "mtp_num_hidden_layers": 1, "attn_output_gate": true, "vocab_size": 248320,
    "tie_word_embeddings": false, "dtype": "bfloat16"}}"#;

pub(super) const QWEN35_27B: &str = r#"{"model_type": "qwen3_5", "text_config": {
    "model_type": "qwen3_5_text", "hidden_size": 5120, "num_hidden_layers": 64,
    "num_attention_heads": 24, "num_key_value_heads": 4, "head_dim": 256,
    "intermediate_size": 17408, "full_attention_interval": 4, "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_num_key_heads": 16,
    "linear_num_value_heads": 48, "mtp_num_hidden_layers": 1, "attn_output_gate": true,
    "vocab_size": 248320, "tie_word_embeddings": false, "dtype": "bfloat16"}}"#;

pub(super) const MIXTRAL: &str = r#"{"model_type": "mixtral", "hidden_size": 4096,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
    "intermediate_size": 14336, "num_local_experts": 8, "num_experts_per_tok": 2,
    "vocab_size": 32000, "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"#;

pub(super) const DEEPSEEK_V3: &str = r#"{"model_type": "deepseek_v3", "hidden_size": 7168,
    "num_hidden_layers": 61, "num_attention_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "first_k_dense_replace": 3, "moe_layer_freq": 1, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
    "num_experts_per_tok": 8, "num_nextn_predict_layers": 1, "vocab_size": 129280,
    "tie_word_embeddings": false, "torch_dtype": "bfloat16",
    "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}"#;

pub(super) const DEEPSEEK_V32: &str = r#"{"model_type": "deepseek_v32", "hidden_size": 7168,
    "num_hidden_layers": 61, "num_attention_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "index_head_dim": 128, "index_n_heads": 64, "index_topk": 2048,
    "first_k_dense_replace": 3, "moe_layer_freq": 1, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
    "num_experts_per_tok": 8, "num_nextn_predict_layers": 1, "vocab_size": 129280,
    "tie_word_embeddings": false, "torch_dtype": "bfloat16",
    "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}"#;

pub(super) const GLM_5: &str = r#"{"model_type": "glm_moe_dsa", "hidden_size": 6144,
    "num_hidden_layers": 78, "num_attention_heads": 64, "q_lora_rank": 2048, "kv_lora_rank": 512,
    "qk_nope_head_dim": 192, "qk_rope_head_dim": 64, "v_head_dim": 256, "head_dim": 64,
    "index_head_dim": 128, "index_n_heads": 32, "index_topk": 2048,
    "first_k_dense_replace": 3, "moe_layer_freq": 1, "intermediate_size": 12288,
    "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
    "num_experts_per_tok": 8, "num_nextn_predict_layers": 1, "vocab_size": 154880,
    "tie_word_embeddings": false, "dtype": "bfloat16"}"#;

pub(super) const GLM_45: &str = r#"{"model_type": "glm4_moe", "hidden_size": 5120,
    "num_hidden_layers": 92, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
    "first_k_dense_replace": 3, "intermediate_size": 12288, "moe_intermediate_size": 1536,
    "n_routed_experts": 160, "n_shared_experts": 1, "num_experts_per_tok": 8,
    "num_nextn_predict_layers": 1, "vocab_size": 151552, "tie_word_embeddings": false,
    "attention_bias": true, "use_qk_norm": true, "torch_dtype": "bfloat16"}"#;

pub(super) const GLM_45_AIR: &str = r#"{"model_type": "glm4_moe", "hidden_size": 4096,
    "num_hidden_layers": 46, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
    "first_k_dense_replace": 1, "intermediate_size": 10944, "moe_intermediate_size": 1408,
    "n_routed_experts": 128, "n_shared_experts": 1, "num_experts_per_tok": 8,
    "num_nextn_predict_layers": 1, "vocab_size": 151552, "tie_word_embeddings": false,
    "attention_bias": true, "use_qk_norm": false, "torch_dtype": "bfloat16"}"#;

pub(super) const GEMMA3_27B: &str = r#"{"model_type": "gemma3_text", "hidden_size": 5376,
    "num_hidden_layers": 62, "num_attention_heads": 32, "num_key_value_heads": 16,
    "head_dim": 128, "intermediate_size": 21504, "vocab_size": 262208, "sliding_window": 1024,
    "sliding_window_pattern": 6, "tie_word_embeddings": true, "torch_dtype": "bfloat16"}"#;

pub(super) const GEMMA3_1B: &str = r#"{"model_type": "gemma3_text", "hidden_size": 1152,
    "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1,
    "head_dim": 256, "intermediate_size": 6912, "vocab_size": 262144, "sliding_window": 512,
    "sliding_window_pattern": 6, "tie_word_embeddings": true, "torch_dtype": "bfloat16"}"#;

/// Published with its layers listed; every sixth is full.
pub(super) const GEMMA4_31B: &str = r#"{"model_type": "gemma4", "text_config": {
    "model_type": "gemma4_text", "hidden_size": 5376, "num_hidden_layers": 60,
    "num_attention_heads": 32, "num_key_value_heads": 16, "num_global_key_value_heads": 4,
    "head_dim": 256, "global_head_dim": 512, "attention_k_eq_v": true, "attention_bias": false,
    "intermediate_size": 21504, "sliding_window": 1024, "enable_moe_block": false,
    "hidden_size_per_layer_input": 0, "num_kv_shared_layers": 0, "use_double_wide_mlp": false,
    "sliding_window_pattern": 6, "vocab_size": 262144, "tie_word_embeddings": true,
    "dtype": "bfloat16"}}"#;

pub(super) const GPT_OSS_120B: &str = r#"{"model_type": "gpt_oss", "hidden_size": 2880,
    "num_hidden_layers": 36, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64,
    "intermediate_size": 2880, "num_local_experts": 128, "num_experts_per_tok": 4,
    "sliding_window": 128, "vocab_size": 201088, "tie_word_embeddings": false,
    "attention_bias": true, "quantization_config": {"quant_method": "mxfp4",
    "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router",
    "model.embed_tokens", "lm_head"]}}"#;

pub(super) const NEMOTRON_NANO: &str = r#"{"model_type": "nemotron_h", "hidden_size": 2688,
    "num_hidden_layers": 52, "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128,
    "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
    "n_groups": 8, "mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128,
    "conv_kernel": 4, "use_conv_bias": true, "n_routed_experts": 128, "num_experts_per_tok": 6,
    "moe_intermediate_size": 1856, "n_shared_experts": 1,
    "moe_shared_expert_intermediate_size": 3712, "intermediate_size": 1856, "vocab_size": 131072,
    "tie_word_embeddings": false, "attention_bias": false, "torch_dtype": "bfloat16"}"#;

pub(super) const KIMI_LINEAR: &str = r#"{"model_type": "kimi_linear", "hidden_size": 2304,
    "num_hidden_layers": 27, "num_attention_heads": 32, "num_key_value_heads": 32, "head_dim": 72,
    "kv_lora_rank": 512, "q_lora_rank": null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
    "v_head_dim": 128, "first_k_dense_replace": 1, "moe_layer_freq": 1, "intermediate_size": 9216,
    "moe_intermediate_size": 1024, "num_experts": 256, "num_experts_per_token": 8,
    "num_shared_experts": 1, "vocab_size": 163840, "tie_word_embeddings": false,
    "linear_attn_config": {"full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "num_heads": 32,
    "head_dim": 128, "short_conv_kernel_size": 4}, "torch_dtype": "bfloat16"}"#;

/// Reads a config that must be readable.
pub(super) fn model(config: &str) -> Model {
    Model::from_hf_config(config).unwrap_or_else(|e| panic!("{e}: {config}"))
}
