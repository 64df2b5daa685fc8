//! Headers that the formats' own libraries wrote (`tests/data/write_headers.py`).

use trueline_roofline::{
    Bytes, LayerKind, LayerRun, Model, ModelPart, Role, Scales, Stored, Zeros,
};

#[test]
fn a_gguf_header_of_the_reference_writer_is_read() {
    let file = include_bytes!("../data/qwen3moe.gguf.head");
    let model = Model::from_gguf_header(file.as_slice()).unwrap();
    // Both printed by the script, from gguf's own reader.
    assert_eq!(model.totals().text.get(), 8_722_944);
    assert_eq!(model.bytes(ModelPart::Text), Bytes::from_count(5_211_392));
    let full = LayerKind::Full { heads: 8, kv_heads: 2, head_dim: 128 };
    let moe = LayerKind::Moe { experts: 4, top_k: 2, width: 256, shared: 0 };
    assert_eq!(
        model.layers(),
        [LayerRun { kind: full, count: 3 }, LayerRun { kind: moe, count: 3 }]
    );
    assert_eq!(model.family(), "qwen3moe");
    assert_eq!(model.warnings(), []);
    // By hand: two of four experts of 3 x 256 x 512, attention of 2 x 1,024 x 512 + 2 x 256 x 512,
    // a router of 4 x 512, three times; a head of 64 x 512.
    let layer = 2 * 3 * 256 * 512 + 2 * 1024 * 512 + 2 * 256 * 512 + 4 * 512;
    let active = model.active().unwrap();
    assert_eq!((active.linear.get(), active.head.get()), (3 * layer, 64 * 512));
    assert!(model.tensors().iter().all(|t| t.role() != Role::Other));
}

#[test]
fn a_safetensors_header_of_the_reference_writer_is_read() {
    let file = include_bytes!("../data/int8.safetensors.head");
    let model = Model::from_safetensors_header(file.as_slice()).unwrap();
    let bytes: Bytes = model.tensors().iter().map(trueline_roofline::Tensor::bytes).sum();
    // Printed by the script: the length of the file behind its header.
    assert_eq!(bytes, Bytes::from_count(4808));
    let ffn = model.tensors().iter().find(|t| t.role() == Role::FfnDense).unwrap();
    let int8 = Stored::Integer { bits: 8, scales: Scales::Channel, zeros: Zeros::None };
    assert_eq!((ffn.stored(), ffn.scales()), (int8, 16));
    assert_eq!(model.totals().text.get(), 64 * 32 + 16 * 32 + 32);
}
