//! Writes headers of weight files, for tests: the bytes a real file starts with, without its data.

/// A GGUF header that is being written.
#[derive(Debug, Clone, Default)]
pub(super) struct Gguf {
    keys: Vec<u8>,
    count: u64,
    tensors: Vec<u8>,
    listed: u64,
    /// Length of the data so far, padding included.
    pub(super) data: u64,
    /// Sum of the tensors' bytes so far, padding left out.
    pub(super) bytes: u64,
}

pub(super) const F32: (u32, u64, u64) = (0, 1, 4);
pub(super) const F16: (u32, u64, u64) = (1, 1, 2);
pub(super) const Q4_K: (u32, u64, u64) = (12, 256, 144);
pub(super) const Q6_K: (u32, u64, u64) = (14, 256, 210);
pub(super) const MXFP4: (u32, u64, u64) = (39, 32, 17);

impl Gguf {
    pub(super) fn new(architecture: &str) -> Self {
        let mut file = Self::default();
        file.text("general.architecture", architecture);
        file
    }

    fn key(&mut self, name: &str, kind: u32) {
        self.count += 1;
        push_text(&mut self.keys, name);
        self.keys.extend(kind.to_le_bytes());
    }

    pub(super) fn text(&mut self, name: &str, value: &str) {
        self.key(name, 8);
        push_text(&mut self.keys, value);
    }

    pub(super) fn number(&mut self, name: &str, value: u32) {
        self.key(name, 4);
        self.keys.extend(value.to_le_bytes());
    }

    /// A list of texts, as the tokenizer's words are.
    pub(super) fn texts(&mut self, name: &str, values: &[&str]) {
        self.key(name, 9);
        self.keys.extend(8_u32.to_le_bytes());
        self.keys.extend((values.len() as u64).to_le_bytes());
        for value in values {
            push_text(&mut self.keys, value);
        }
    }

    /// A list of whole numbers of 32 bits with a sign.
    pub(super) fn numbers(&mut self, name: &str, values: &[i32]) {
        self.key(name, 9);
        self.keys.extend(5_u32.to_le_bytes());
        self.keys.extend((values.len() as u64).to_le_bytes());
        for value in values {
            self.keys.extend(value.to_le_bytes());
        }
    }

    /// A tensor of a shape with the output rows first, after the one before.
    pub(super) fn tensor(&mut self, name: &str, shape: &[u64], kind: (u32, u64, u64)) {
        let (id, values, bytes) = kind;
        self.listed += 1;
        push_text(&mut self.tensors, name);
        self.tensors.extend(u32::try_from(shape.len()).unwrap().to_le_bytes());
        for side in shape.iter().rev() {
            self.tensors.extend(side.to_le_bytes());
        }
        self.tensors.extend(id.to_le_bytes());
        self.tensors.extend(self.data.to_le_bytes());
        let size = shape.iter().product::<u64>() / values * bytes;
        self.bytes += size;
        self.data += size.next_multiple_of(32);
    }

    pub(super) fn finish(&self) -> Vec<u8> {
        let mut file = b"GGUF".to_vec();
        file.extend(3_u32.to_le_bytes());
        file.extend(self.listed.to_le_bytes());
        file.extend(self.count.to_le_bytes());
        file.extend(&self.keys);
        file.extend(&self.tensors);
        file
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// A safetensors header that is being written.
#[derive(Debug, Clone, Default)]
pub(super) struct Safetensors {
    entries: Vec<String>,
    /// Length of the data so far.
    pub(super) data: u64,
}

impl Safetensors {
    pub(super) fn tensor(&mut self, name: &str, dtype: &str, shape: &[u64]) {
        let size = match dtype {
            "U8" | "I8" | "F8_E4M3" => 1,
            "BF16" | "F16" => 2,
            "F32" | "I32" => 4,
            "I64" => 8,
            _ => panic!("no size of {dtype}"),
        };
        let (from, to) = (self.data, self.data + shape.iter().product::<u64>() * size);
        self.data = to;
        self.entries.push(format!(
            r#""{name}":{{"dtype":"{dtype}","shape":{shape:?},"data_offsets":[{from},{to}]}}"#
        ));
    }

    pub(super) fn finish(&self) -> Vec<u8> {
        safetensors(&format!(r#"{{"__metadata__":{{"format":"pt"}},{}}}"#, self.entries.join(",")))
    }
}

/// A header of this JSON.
pub(super) fn safetensors(json: &str) -> Vec<u8> {
    let mut file = (json.len() as u64).to_le_bytes().to_vec();
    file.extend(json.as_bytes());
    file
}
