//! What a container's log puts before every line that a benchmark prints.

/// Of the lines that are not blank at least so many in a hundred have a prefix, or none is taken off.
const MOST_LINES: usize = 90;

/// How many prefixes may stand before each other: pod, time.
const PARTS: usize = 3;

/// The text without `2026-11-01T12:00:00Z `, `[pod/bench/main] ` or `bench-1  | ` before its lines,
/// where nearly all lines have one.
pub(super) fn without_prefixes(text: String) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let with = lines().filter(|line| prefix(line) > 0).count();
    if with == 0 || with * 100 < lines().count() * MOST_LINES {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        out += line.get(prefix(line)..).unwrap_or(line);
    }
    out
}

/// How many bytes of a line are prefix.
fn prefix(line: &str) -> usize {
    let mut at = 0;
    for _ in 0..PARTS {
        let rest = line.get(at..).unwrap_or_default();
        let Some(length) = [time, pod, service].iter().find_map(|part| part(rest)) else { break };
        at += length;
    }
    at
}

/// `2026-11-01T12:00:00.123Z `, as `kubectl logs --timestamps` writes it.
fn time(text: &str) -> Option<usize> {
    const SHAPE: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let fits =
        |(c, shape): (&u8, &u8)| if *shape == b'd' { c.is_ascii_digit() } else { c == shape };
    let head = text.as_bytes().get(..SHAPE.len())?;
    let rest = text.get(SHAPE.len()..)?;
    let zone = rest.find(' ').or_else(|| Some(rest.trim_end().len()))?;
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | ':' | 'Z' | '+' | '-');
    let is_one = head.iter().zip(SHAPE).all(fits) && rest.get(..zone)?.chars().all(plain);
    is_one.then(|| (SHAPE.len() + zone + 1).min(text.trim_end_matches(['\n', '\r']).len()))
}

/// `[pod/bench-x1/main] `, as `kubectl logs --prefix` writes it.
fn pod(text: &str) -> Option<usize> {
    let end = text.strip_prefix("[pod/")?.find("] ")?;
    Some("[pod/".len() + end + "] ".len())
}

/// `bench-1  | `, as Compose writes it.
fn service(text: &str) -> Option<usize> {
    let name = text.find(' ')?;
    let (word, rest) = text.split_at(name);
    let number = word.rsplit(['-', '_']).next().filter(|n| n.len() < word.len())?;
    let blanks = rest.len() - rest.trim_start_matches(' ').len();
    let bar = rest.get(blanks..)?;
    let is_one = !number.is_empty()
        && number.bytes().all(|c| c.is_ascii_digit())
        && word.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_' || c == b'.')
        && bar.starts_with('|');
    let after = bar.strip_prefix("| ").map_or(1, |_| 2);
    is_one.then_some(name + blanks + after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_log_puts_before_every_line_is_taken_off() {
        let plain = "Mean TTFT (ms):  340.20\n\n{\"a\": 1}\n";
        for before in [
            "2026-11-01T12:00:00Z ",
            "2026-11-01T12:00:00.123456789+02:00 ",
            "[pod/bench-x1/main] ",
            "[pod/bench-x1/main] 2026-11-01T12:00:00.1Z ",
            "bench-1  | ",
            "my_bench_12 | ",
        ] {
            let text: String = plain.lines().flat_map(|line| [before, line, "\n"]).collect();
            assert_eq!(without_prefixes(text), plain, "{before}");
        }
    }

    #[test]
    fn what_only_looks_like_a_prefix_stays() {
        for text in [
            "| model | size |\n| m-1 | 3 |\n",
            " 10%|#   | 24/240\nMean TTFT (ms): 340.20\n",
            "2026-11-01T12:00:00Z,1,2\n2026-11-01T12:00:01Z,3,4\n",
            "[info] start\n[info] end\n",
            // One line of three has one: it belongs to what is said.
            "2026-11-01T12:00:00Z start\nMean TTFT (ms): 340.20\nend\n",
        ] {
            assert_eq!(without_prefixes(text.to_owned()), text);
        }
    }
}
