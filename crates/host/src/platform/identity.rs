//! Which machine this is, and since which start.

use serde::{Deserialize, Serialize};
use trueline_core::{Known, Why};

use super::reading::{after_key, part};
use crate::root::{Root, known};

/// Which machine this is, and since which start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Identity {
    /// A name of this start of the system; another start has another.
    pub boot_id: Known<String>,
    /// The host's name.
    pub machine: Known<String>,
    /// The kernel's release.
    pub kernel: Known<String>,
    /// The processor by its own name.
    pub cpu_model: Known<String>,
    /// The version of its microcode.
    pub microcode: Known<String>,
    /// What is done against weaknesses of the processor.
    pub mitigations: Known<Mitigations>,
}

/// What is done against weaknesses of the processor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mitigations {
    /// Weaknesses that something is done against.
    pub mitigated: u64,
    /// Weaknesses that nothing is done against.
    pub vulnerable: u64,
    /// Equal where all texts about all weaknesses are equal: FNV-1a, 64 bits, in hexadecimal.
    pub digest: String,
}

impl Identity {
    pub(super) fn read(root: &Root, cpuinfo: &Result<String, Why>) -> Self {
        // Arm processors have numbers and no name here.
        let model = |text: &str| after_key(text, "model name").map(str::to_owned);
        let microcode = |text: &str| after_key(text, "microcode").map(str::to_owned);
        Self {
            boot_id: known(root.text("proc/sys/kernel/random/boot_id")),
            machine: known(root.text("proc/sys/kernel/hostname")),
            kernel: known(root.text("proc/sys/kernel/osrelease")),
            cpu_model: part(cpuinfo, model),
            microcode: part(cpuinfo, microcode),
            mitigations: mitigations(root),
        }
    }
}

impl std::fmt::Display for Mitigations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { mitigated, vulnerable, digest } = self;
        write!(f, "{mitigated} mitigated, {vulnerable} vulnerable ({digest})")
    }
}

fn mitigations(root: &Root) -> Known<Mitigations> {
    const FOLDER: &str = "sys/devices/system/cpu/vulnerabilities";
    let read = root.names(FOLDER).and_then(|names| {
        let mut found = Mitigations { mitigated: 0, vulnerable: 0, digest: String::new() };
        let mut texts = String::new();
        for name in names {
            let text = root.text(&format!("{FOLDER}/{name}"))?;
            found.mitigated += u64::from(text.contains("Mitigation"));
            found.vulnerable += u64::from(text.starts_with("Vulnerable"));
            texts += &format!("{name}: {text}\n");
        }
        found.digest = format!("{:016x}", fnv_1a(texts.as_bytes()));
        Ok(found)
    });
    known(read)
}

/// # Source
/// Fowler, Noll and Vo's hash, variant 1a, with their 64-bit prime and start.
fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_published_one() {
        // Test vectors of the authors: the empty text, "a" and "foobar".
        assert_eq!(fnv_1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv_1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv_1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
