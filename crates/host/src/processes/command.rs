//! The command of a process, short and without what nobody should keep.

/// Words kept after the program's name.
const MOST_WORDS: usize = 5;

/// Characters kept of a word.
const MOST_CHARS: usize = 48;

/// What an option is called whose value nobody should keep.
const SECRETS: [&str; 6] = ["key", "token", "secret", "passw", "auth", "credential"];

/// What is kept of `/proc/<pid>/cmdline`: words apart by blanks, the program without its folder,
/// at most five more words, none of them the value of a secret.
pub(crate) fn parse_command(cmdline: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(cmdline);
    // What a capture keeps of it, and a title that a program gave itself, are split by blanks; what
    // the kernel gives, by zero bytes.
    let text = text.trim_end_matches('\0');
    let by = if text.contains('\0') { '\0' } else { ' ' };
    let mut words = text.split(by).filter(|word| !word.is_empty());
    let program = words.next()?;
    let mut kept = vec![short(program.rsplit('/').find(|part| !part.is_empty())?)];
    let mut hide = false;
    for word in words.by_ref().take(MOST_WORDS) {
        let secret = is_secret(word);
        kept.push(match (hide, word.split_once('=')) {
            (true, _) => HIDDEN.to_owned(),
            (false, Some((name, _))) if secret => format!("{}={HIDDEN}", short(name)),
            _ if word.contains("://") && word.contains('@') => HIDDEN.to_owned(),
            _ => short(word),
        });
        hide = secret && word.starts_with('-') && !word.contains('=');
    }
    if words.next().is_some() {
        kept.push(MORE.to_owned());
    }
    Some(kept.join(" "))
}

const HIDDEN: &str = "***";
const MORE: &str = "...";

fn is_secret(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word).to_ascii_lowercase();
    SECRETS.iter().any(|secret| name.contains(secret))
}

fn short(word: &str) -> String {
    let mut short: String = word.chars().take(MOST_CHARS).collect();
    if short.len() < word.len() {
        short.push('~');
    }
    short.replace(char::is_whitespace, "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Option<String> {
        parse_command(text.as_bytes())
    }

    #[test]
    fn a_command_is_its_program_and_a_few_words() {
        let line = "/usr/bin/python3\0-m\0vllm\0serve\0qwen\0--port\0p\0--seed\0x\0";
        let short = "python3 -m vllm serve qwen --port ...";
        assert_eq!(command(line).as_deref(), Some(short));
        // What a capture keeps reads as the same again.
        assert_eq!(command(short).as_deref(), Some(short));
        assert_eq!(command(""), None);
        assert_eq!(command("\0\0"), None);
    }

    #[test]
    fn secrets_are_not_kept() {
        assert_eq!(
            command("bench\0--api-key\0sk-123\0-n\0x").as_deref(),
            Some("bench --api-key *** -n x")
        );
        assert_eq!(command("bench\0--token=abc\0x").as_deref(), Some("bench --token=*** x"));
        assert_eq!(command("curl\0http://me:pass@host/").as_deref(), Some("curl ***"));
        let long = "p".repeat(60);
        assert_eq!(command("x\0--key\0a b\0-p\0a b").as_deref(), Some("x --key *** -p a_b"));
        assert_eq!(command("nginx: worker\0\0").as_deref(), Some("nginx: worker"));
        assert_eq!(command(&format!("echo\0{long}")).map(|c| c.len()), Some(5 + 48 + 1));
    }
}
