//! What a result must not keep of its texts: credentials, and texts long enough to be a prompt.

use std::sync::LazyLock;

use regex_lite::Regex;

/// The longest text that is kept, in characters: names, paths, reasons and the last lines of
/// tracebacks are shorter, prompts and replies are mostly not.
const LONGEST: usize = 240;

/// Credentials by how they are written; what stands before them stays. Each with the characters one of
/// which a text must have, so that most texts need no search.
static CREDENTIALS: LazyLock<[(&[char], Regex); 4]> = LazyLock::new(|| {
    [
        // The user and password of a URL.
        (&['@'][..], r"(://)[^/\s'\x22?#]*(@)"),
        // `api_key=…`, `'Authorization': 'Bearer …'`, `?token=…`.
        (
            &['=', ':'][..],
            concat!(
                r"(?i)((?:api[_-]?key|authorization|passw(?:or)?d|secret|access[_-]?key",
                r"|(?:hf|access|auth|api)[_-]token|[?&]token)['\x22]?\s*[=:]\s*['\x22]?)",
                r"(?:(?:bearer|basic)\s+)?[^\s'\x22,;&)}]+"
            ),
        ),
        (&[' '][..], r"(?i)(\bbearer\s+)[^\s'\x22,;)}]{6,}"),
        // Keys that name their issuer.
        (&['-', '_'][..], r"(\b)(?:sk|pk|rk|hf|ghp|gho|glpat|nvapi|xox[a-z])[-_][A-Za-z0-9_-]{8,}"),
    ]
    .map(|(needs, pattern)| (needs, Regex::new(pattern).expect("the pattern is right")))
});

/// Takes credentials out of a text, and cuts one that is too long for a name or a reason.
pub(crate) fn scrub(text: &mut String) {
    for (needs, pattern) in CREDENTIALS.iter() {
        if text.contains(*needs) && pattern.is_match(text) {
            *text = pattern.replace_all(text, "${1}***${2}").into_owned();
        }
    }
    if let Some((at, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(at);
        text.push('…');
    }
}

/// The same for a text that is at hand.
pub(crate) fn scrubbed(text: impl Into<String>) -> String {
    let mut text = text.into();
    scrub(&mut text);
    text
}

/// Whether an argument of this name may hold a key, a password or a prompt, whatever its value.
pub(crate) fn is_secret(name: &str, value: &str) -> bool {
    let parts = ["key", "header", "auth", "password", "secret", "credential", "extra", "cookie"];
    // A loop's variable is filled in later, and looked at again then.
    let counts = value.parse::<f64>().is_ok() || value.starts_with('$');
    parts.iter().any(|part| name.contains(part))
        || name == "token"
        || name.ends_with("_token")
        || (name.contains("prompt") && !counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_left_out_and_what_stands_around_them_stays() {
        for (text, expected) in [
            ("http://u:p@host:80/v1", "http://***@host:80/v1"),
            ("failed: https://user@h/x?api_key=abc&n=1", "failed: https://***@h/x?api_key=***&n=1"),
            ("{'Authorization': 'Bearer abc.def'}", "{'Authorization': '***'}"),
            ("Bearer abcdef123 was refused", "Bearer *** was refused"),
            ("invalid key sk-abcdefgh1234", "invalid key ***"),
            ("password = hunter2, user", "password = ***, user"),
        ] {
            assert_eq!(scrubbed(text), expected);
        }
        for plain in [
            "Mean TTFT (ms): 32.17",
            "max_tokens=8 per token: 3",
            "m/x@main",
            "task-abcdefghij",
            "mail a@b.c see http://host/a@b",
        ] {
            assert_eq!(scrubbed(plain), plain);
        }
    }

    #[test]
    fn a_text_as_long_as_a_prompt_is_cut() {
        assert_eq!(scrubbed("é".repeat(1_000)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn prompts_given_as_arguments_are_secret_and_their_number_is_not() {
        assert!(is_secret("prompt_suffix", "say") && is_secret("extra_body", "{}"));
        assert!(!is_secret("num_prompts", "8") && !is_secret("random_input_len", "8"));
    }
}
