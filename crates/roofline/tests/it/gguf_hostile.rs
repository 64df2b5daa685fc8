//! GGUF headers that are cut, hostile or of another format: an error, and nothing large kept.

use trueline_roofline::{Model, ModelErrorKind};

use crate::files::{F16, Gguf};

#[test]
fn every_cut_of_a_file_is_an_error() {
    let mut small = Gguf::new("llama");
    small.number("llama.block_count", 1);
    small.numbers("llama.attention.head_count", &[4, 4]);
    small.tensor("blk.0.attn_k.weight", &[64, 64], F16);
    let whole = small.finish();
    for end in 0..whole.len() {
        let cut = Model::from_gguf_header(whole.get(..end).unwrap());
        assert_eq!(cut.unwrap_err().kind(), ModelErrorKind::Truncated, "cut at {end}");
    }
    assert!(Model::from_gguf_header(whole.as_slice()).is_ok());
}

/// A header with these counts and this tail.
fn crafted(tensors: u64, keys: u64, tail: &[u8]) -> Vec<u8> {
    let mut file = b"GGUF\x03\0\0\0".to_vec();
    file.extend(tensors.to_le_bytes());
    file.extend(keys.to_le_bytes());
    file.extend(tail);
    file
}

#[test]
fn hostile_counts_and_lengths_end_in_errors() {
    let kind = |file: &[u8]| Model::from_gguf_header(file).unwrap_err().kind();
    let text = |length: u64| length.to_le_bytes().to_vec();
    assert_eq!(kind(&crafted(1 << 60, 0, &[])), ModelErrorKind::TooLarge);
    assert_eq!(kind(&crafted(0, 1 << 60, &[])), ModelErrorKind::TooLarge);
    // A key of 2^63 bytes, a tensor's name of a gigabyte.
    assert_eq!(kind(&crafted(0, 1, &text(1 << 63))), ModelErrorKind::TooLarge);
    assert_eq!(kind(&crafted(1, 0, &text(1 << 30))), ModelErrorKind::TooLarge);
    // A list of 2^60 numbers of 8 bytes, of 2^62 texts, and lists in lists.
    let list = |element: u32, length: u64| {
        let mut tail = text(1);
        tail.push(b'k');
        tail.extend(9_u32.to_le_bytes());
        tail.extend(element.to_le_bytes());
        tail.extend(length.to_le_bytes());
        tail
    };
    assert_eq!(kind(&crafted(0, 1, &list(10, 1 << 60))), ModelErrorKind::TooLarge);
    assert_eq!(kind(&crafted(0, 1, &list(10, 1 << 62))), ModelErrorKind::TooLarge);
    assert_eq!(kind(&crafted(0, 1, &list(8, 1 << 62))), ModelErrorKind::Truncated);
    let mut nested = list(9, 1);
    for _ in 0..50_000 {
        nested.extend(9_u32.to_le_bytes());
        nested.extend(1_u64.to_le_bytes());
    }
    assert_eq!(kind(&crafted(0, 1, &nested)), ModelErrorKind::TooLarge);
    // Sides whose product is beyond 64 bits; sides without end; a type nobody knows.
    let tensor = |sides: &[u64], id: u32| {
        let mut tail = text(1);
        tail.push(b't');
        tail.extend(u32::try_from(sides.len()).unwrap().to_le_bytes());
        tail.extend(sides.iter().flat_map(|side| side.to_le_bytes()));
        tail.extend(id.to_le_bytes());
        tail.extend(0_u64.to_le_bytes());
        tail
    };
    assert_eq!(kind(&crafted(1, 0, &tensor(&[1 << 40, 1 << 40], 0))), ModelErrorKind::Layout);
    assert_eq!(kind(&crafted(1, 0, &tensor(&[1 << 62], 0))), ModelErrorKind::Layout);
    assert_eq!(kind(&crafted(1, 0, &tensor(&[1 << 60], 0))), ModelErrorKind::OutOfRange);
    assert_eq!(kind(&crafted(1, 0, &tensor(&[1; 9], 0))), ModelErrorKind::Layout);
    assert_eq!(kind(&crafted(1, 0, &tensor(&[32], 4))), ModelErrorKind::UnknownFormat);
    assert_eq!(kind(&crafted(1, 0, &tensor(&[100], 12))), ModelErrorKind::Layout);
}

#[test]
fn input_without_end_ends_in_an_error() {
    // A list of 16 million numbers that are really there, then one byte for ever: passed over,
    // not kept.
    let mut list = 1_u64.to_le_bytes().to_vec();
    list.push(b'k');
    list.extend(9_u32.to_le_bytes());
    list.extend(10_u32.to_le_bytes());
    list.extend((1_u64 << 24).to_le_bytes());
    let file = crafted(1, 2, &list);
    for byte in [0, 1, 0xff] {
        let endless = std::io::Read::chain(file.as_slice(), std::io::repeat(byte));
        assert!(Model::from_gguf_header(endless).is_err());
        assert!(Model::from_gguf_header(std::io::repeat(byte)).is_err());
        assert!(Model::from_safetensors_header(std::io::repeat(byte)).is_err());
    }
}

#[test]
fn tensors_that_overlap_or_leave_holes_are_refused() {
    let mut file = Gguf::new("llama");
    file.tensor("blk.0.attn_k.weight", &[64, 64], F16);
    file.data -= 32;
    file.tensor("blk.0.attn_q.weight", &[64, 64], F16);
    let error = Model::from_gguf_header(file.finish().as_slice()).unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Layout);
    assert!(error.to_string().contains("expected offset 8192"), "{error}");
}

#[test]
fn other_files_are_no_gguf() {
    for bytes in [b"PK\x03\x04aaaaaaaa".as_slice(), b"GGUF\0\0\0\x03aaaaaaaa", b"GGUF\x01\0\0\0"] {
        let error = Model::from_gguf_header(bytes).unwrap_err();
        assert_eq!(error.kind(), ModelErrorKind::UnknownFormat, "{error}");
    }
}
