//! What the fuzz targets hold true of any bytes: no panic, counts that add up, and the same summary
//! from one thread and from two. The corpora are replayed by an ordinary test.

use trueline::claims::{check_claim_list, parse_claim, parse_claim_file};
use trueline::logs::{Mapping, ReadOptions, read_log_from, read_runs_from, sniff_bytes};

/// A mapping with every sort of field.
const MAPPING: &str = r#"
name = "fuzzed"
[[field]]
path = "usage.prompt_tokens"
meaning = "prompt_tokens"
unit = "tokens"
[[field]]
path = "usage.cached"
meaning = "cached_tokens"
unit = "tokens"
[[field]]
path = "ttft_ms"
meaning = "ttft"
unit = "ms"
clock = "client"
[[field]]
path = "at"
meaning = "started"
unit = "iso8601"
"#;

/// Reads bytes in several ways; whether they could be read at all.
fn read(data: &[u8], options: &ReadOptions) -> bool {
    let one = read_log_from("fuzz", data, &options.clone().with_threads(1));
    let two = read_log_from("fuzz", data, &options.clone().with_threads(2).with_block_bytes(64));
    let small = read_log_from("fuzz", data, &options.clone().with_threads(1).with_block_bytes(64));
    let _ = sniff_bytes("fuzz", data);
    // Where the first block ends may decide what the head shows, never what two threads see.
    if let (Ok(two), Ok(small)) = (&two, &small) {
        assert_eq!(two.value.production(), small.value.production());
    }
    let Ok(one) = one else { return false };
    let counts = one.value.counts();
    assert_eq!(counts.read(), counts.used + counts.own + counts.rejected.total() + counts.warmup);
    counts.used > 0
}

/// Trueline's own JSON lines as a log.
pub fn own_jsonl(data: &[u8]) -> bool {
    read(data, &ReadOptions::default().with_format("trueline"))
}

/// MTPLX request logs.
pub fn mtplx(data: &[u8]) -> bool {
    read(data, &ReadOptions::default().with_format("mtplx"))
}

/// Weka traces.
pub fn weka(data: &[u8]) -> bool {
    read(data, &ReadOptions::default().with_format("weka"))
}

/// Any JSON lines through a mapping.
pub fn mapped(data: &[u8]) -> bool {
    let mapping = Mapping::parse("fuzz", MAPPING).expect("the mapping above is right");
    read(data, &ReadOptions::default().with_mapping(mapping))
}

/// Trueline's own JSON lines as runs.
pub fn runs(data: &[u8]) -> bool {
    let Ok(read) = read_runs_from("fuzz", data) else { return false };
    assert!(read.value.iter().any(|run| !run.requests.is_empty()));
    true
}

/// Claims, short and long, and mappings.
pub fn claims(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let short = parse_claim("c", text);
    let _ = Mapping::parse("fuzz", text);
    if let Ok(file) = parse_claim_file(text) {
        assert!(check_claim_list(&file.claims).is_ok());
        let report = trueline::Audit::new().given(file.given).judge(&file.claims);
        assert!(!report.to_text(Default::default()).contains('\u{1b}'));
        assert!(has_only_numbers(&report.to_json().to_string()));
        return !file.claims.is_empty();
    }
    short.is_ok()
}

/// No NaN or infinity stands in the text of a JSON report as a bare word.
fn has_only_numbers(json: &str) -> bool {
    !json.contains(":NaN") && !json.contains(":inf")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file of a corpus, whole and cut at each of its first 2,000 bytes.
    fn replay(target: &str, run: fn(&[u8]) -> bool) {
        let folder = format!("{}/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
        let mut files = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            for cut in (0..bytes.len().min(2_000)).step_by(7).chain([bytes.len()]) {
                run(&bytes[..cut]);
            }
            files += usize::from(run(&bytes));
        }
        assert!(files > 0, "no file of the corpus of {target} can be read");
    }

    #[test]
    fn the_corpora_replay() {
        replay("own_jsonl", own_jsonl);
        replay("mtplx", mtplx);
        replay("weka", weka);
        replay("mapped", mapped);
        replay("runs", runs);
        replay("claims", claims);
    }
}
