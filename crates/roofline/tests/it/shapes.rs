//! Models by hand, from the figures of their public `config.json`.

use trueline_core::Tokens;
use trueline_roofline::{
    BitsPerWeight, Experts, LayerShape, MathPath, Matmul, Mixer, ModelShape, Reach, Routing,
};

pub(crate) fn paths(names: &[&str]) -> Vec<MathPath> {
    names.iter().map(|name| MathPath::parse_dense(name).unwrap()).collect()
}

pub(crate) fn bits(bits: f64) -> BitsPerWeight {
    BitsPerWeight::new(bits).unwrap()
}

/// Weights at so many bits, multiplied on one of these paths.
pub(crate) struct Stored<'a> {
    pub(crate) bits: f64,
    pub(crate) paths: &'a [&'a str],
}

pub(crate) const BF16: Stored<'static> = Stored { bits: 16.0, paths: &["bf16_f32"] };

impl Stored<'_> {
    pub(crate) fn matmul(&self, weights: u64) -> Matmul {
        Matmul::new(weights, bits(self.bits), paths(self.paths))
    }
}

pub(crate) fn grouped(heads: u64, kv_heads: u64, dim: u64, reach: Reach) -> Mixer {
    Mixer::Grouped { query_heads: heads, kv_heads, key_dim: dim, value_dim: dim, reach }
}

/// Llama-3.1-8B: 32 layers of 4096, 32 heads and 8 key heads of 128, feed-forward 14,336, 128,256 words.
pub(crate) fn llama_8b(layers: &Stored<'_>, head: &Stored<'_>) -> ModelShape {
    let attention = 2 * 4096 * 4096 + 2 * 4096 * 1024;
    let layer = LayerShape::new("full attention", 32, grouped(32, 8, 128, Reach::All))
        .with_linear(layers.matmul(attention + 3 * 4096 * 14_336));
    ModelShape::new(vec![layer], head.matmul(4096 * 128_256), bits(16.0), paths(&["bf16_f32"]))
}

/// Mixtral-8x7B: as Llama with 8 experts of 14,336, two a token, and 32,000 words.
pub(crate) fn mixtral() -> ModelShape {
    let attention = 2 * 4096 * 4096 + 2 * 4096 * 1024;
    let experts = Experts::new(Routing::new(8, 2), BF16.matmul(3 * 4096 * 14_336));
    let layer = LayerShape::new("full attention", 32, grouped(32, 8, 128, Reach::All))
        .with_linear(BF16.matmul(attention + 4096 * 8))
        .with_experts(experts);
    ModelShape::new(vec![layer], BF16.matmul(4096 * 32_000), bits(16.0), paths(&["bf16_f32"]))
}

/// gpt-oss-120b: 36 layers of 2880, 64 heads and 8 key heads of 64, 128 experts of 2880, four a token,
/// every second layer with a window of 128; 201,088 words.
pub(crate) fn gpt_oss_120b(dense: &Stored<'_>, head: &Stored<'_>) -> ModelShape {
    let mxfp4 = Stored { bits: 4.25, paths: &["fp4_f32", "bf16_f32"] };
    let attention = 2 * 2880 * 4096 + 2 * 2880 * 512;
    let layer = |kind: &str, reach| {
        LayerShape::new(kind, 18, grouped(64, 8, 64, reach))
            .with_linear(dense.matmul(attention))
            .with_linear(BF16.matmul(2880 * 128))
            .with_experts(Experts::new(Routing::new(128, 4), mxfp4.matmul(3 * 2880 * 2880)))
    };
    let layers =
        vec![layer("full attention", Reach::All), layer("window", Reach::AtMost(Tokens::new(128)))];
    ModelShape::new(layers, head.matmul(2880 * 201_088), bits(16.0), paths(&["bf16_f32"]))
}

/// DeepSeek-V3: 61 layers of 7168 with latent attention, three of them dense; fp8, the head in bf16.
pub(crate) fn deepseek_v3() -> ModelShape {
    let fp8 = Stored { bits: 8.0, paths: &["fp8_f32"] };
    let mixer = || Mixer::Latent {
        heads: 128,
        nope_dim: 128,
        rope_dim: 64,
        value_dim: 128,
        latent_dim: 512,
        reach: Reach::All,
        indexer: None,
    };
    // q: 7168 x 1536 and 1536 x 128 x 192; kv: 7168 x 576 and 512 x 128 x 256; o: 128 x 128 x 7168.
    let attention =
        7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168;
    let expert = 3 * 7168 * 2048;
    let dense =
        LayerShape::new("dense", 3, mixer()).with_linear(fp8.matmul(attention + 3 * 7168 * 18_432));
    let moe = LayerShape::new("experts", 58, mixer())
        .with_linear(fp8.matmul(attention + expert + 7168 * 256))
        .with_experts(Experts::new(Routing::new(256, 8), fp8.matmul(expert)));
    ModelShape::new(vec![dense, moe], BF16.matmul(7168 * 129_280), bits(16.0), paths(&["bf16_f32"]))
}
