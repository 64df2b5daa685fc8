"""Writes the headers beside this file with the formats' own libraries.

Run: python write_headers.py, with gguf 0.19.0, safetensors 0.8.0 and numpy. Only the part of each
file before its data is kept.
"""

import json
import struct
import tempfile
from pathlib import Path

import gguf
import numpy as np
from safetensors.numpy import save_file

HERE = Path(__file__).parent
KINDS = gguf.GGMLQuantizationType


def write_gguf(path: Path) -> None:
    writer = gguf.GGUFWriter(path, "qwen3moe")
    writer.add_block_count(3)
    writer.add_embedding_length(512)
    writer.add_head_count(8)
    writer.add_head_count_kv(2)
    writer.add_key_length(128)
    writer.add_value_length(128)
    writer.add_expert_count(4)
    writer.add_expert_used_count(2)
    writer.add_expert_feed_forward_length(256)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"token {i}" for i in range(64)])
    writer.add_token_types([1] * 64)
    writer.add_chat_template("{{ messages }}" * 40)
    total = 0

    def add(name, shape, kind):
        nonlocal total
        values, size = gguf.GGML_QUANT_SIZES[kind]
        data = np.zeros((*shape[:-1], shape[-1] // values * size), dtype=np.uint8)
        total += data.size
        writer.add_tensor(name, data, raw_dtype=kind)

    add("token_embd.weight", (64, 512), KINDS.Q4_K)
    add("output.weight", (64, 512), KINDS.Q6_K)
    writer.add_tensor("output_norm.weight", np.zeros(512, dtype=np.float32))
    total += 512 * 4
    mixes = [KINDS.Q4_K, KINDS.Q5_K, KINDS.IQ4_XS]
    for layer, kind in enumerate(mixes):
        add(f"blk.{layer}.attn_q.weight", (1024, 512), kind)
        add(f"blk.{layer}.attn_k.weight", (256, 512), KINDS.Q8_0)
        add(f"blk.{layer}.attn_v.weight", (256, 512), KINDS.Q6_K)
        add(f"blk.{layer}.attn_output.weight", (512, 1024), kind)
        add(f"blk.{layer}.ffn_gate_inp.weight", (4, 512), KINDS.BF16)
        add(f"blk.{layer}.ffn_gate_exps.weight", (4, 256, 512), kind)
        add(f"blk.{layer}.ffn_up_exps.weight", (4, 256, 512), kind)
        add(f"blk.{layer}.ffn_down_exps.weight", (4, 512, 256), KINDS.IQ3_S)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    reader = gguf.GGUFReader(path)
    start = reader.data_offset
    (HERE / "qwen3moe.gguf.head").write_bytes(path.read_bytes()[:start])
    elements = sum(int(t.n_elements) for t in reader.tensors)
    print("gguf: bytes of tensors", total, sum(int(t.n_bytes) for t in reader.tensors), "elements", elements)


def write_safetensors(path: Path) -> None:
    tensors = {
        "model.embed_tokens.weight": np.zeros((64, 32), dtype=np.float16),
        "model.layers.0.mlp.up_proj.weight": np.zeros((16, 32), dtype=np.int8),
        "model.layers.0.mlp.up_proj.weight_scale": np.zeros((16, 1), dtype=np.float32),
        "model.norm.weight": np.zeros((32,), dtype=np.float32),
        "scalar": np.zeros((), dtype=np.int64),
        "empty": np.zeros((0, 4), dtype=np.float32),
    }
    save_file(tensors, path, metadata={"format": "np"})
    raw = path.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    (HERE / "int8.safetensors.head").write_bytes(raw[: 8 + length])
    print("safetensors: data", len(raw) - 8 - length, json.loads(raw[8 : 8 + length]))


with tempfile.TemporaryDirectory() as folder:
    write_gguf(Path(folder) / "a.gguf")
    write_safetensors(Path(folder) / "a.safetensors")
