//! What a failure may say.

use crate::Prompt;

/// How long a piece of a prompt must be to be known again in a message.
const PIECE_BYTES: usize = 12;
/// Prompts up to this length are looked for at every place of a message, longer ones at every sixth:
/// what is repeated of them is at least [`PIECE_BYTES`] + 5 bytes long then.
const SHORT_PROMPT_BYTES: usize = 16 * 1024;

/// A message without what it repeats of the secrets and of the prompt.
///
/// A server's own words may quote the request, which is to stand in no result.
pub(super) fn without(message: &str, secrets: &[&[u8]], prompt: &Prompt) -> String {
    let mut hidden = vec![false; message.len()];
    for secret in secrets.iter().filter(|secret| secret.len() >= 4) {
        for at in memchr::memmem::find_iter(message.as_bytes(), secret) {
            hide(&mut hidden, at, secret.len());
        }
    }
    match prompt {
        Prompt::Text(text) => hide_text(message.as_bytes(), text, &mut hidden),
        Prompt::Messages(messages) => {
            for turn in messages {
                hide_text(message.as_bytes(), &turn.content, &mut hidden);
            }
        }
    }
    if !hidden.contains(&true) {
        return message.to_owned();
    }
    let mut left = String::with_capacity(message.len());
    let mut before = false;
    for (at, letter) in message.char_indices() {
        let is = hidden.get(at..at + letter.len_utf8()).is_some_and(|bytes| bytes.contains(&true));
        match (is, before) {
            (true, false) => left.push('…'),
            (true, true) => {}
            (false, _) => left.push(letter),
        }
        before = is;
    }
    left
}

fn hide(hidden: &mut [bool], at: usize, bytes: usize) {
    if let Some(part) = hidden.get_mut(at..at.saturating_add(bytes)) {
        part.fill(true);
    }
}

/// Hides what a message repeats of a text.
fn hide_text(message: &[u8], text: &str, hidden: &mut [bool]) {
    let text = text.as_bytes();
    let piece = PIECE_BYTES.min(text.trim_ascii().len());
    if piece < 4 {
        return;
    }
    let step = if text.len() <= SHORT_PROMPT_BYTES { 1 } else { 6 };
    for at in (0..message.len()).step_by(step) {
        let Some(part) = message.get(at..at + piece) else { break };
        if memchr::memmem::find(text, part).is_some() {
            // What a step leaves at both sides belongs to it.
            let from = at.saturating_sub(step - 1);
            let to = (at + piece + step - 1).min(message.len());
            hide(hidden, from, to - from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;

    fn without_prompt(message: &str, prompt: &str) -> String {
        without(message, &[], &Prompt::Text(prompt.to_owned()))
    }

    #[test]
    fn words_of_the_server_stay() {
        let message = "status 400: Unrecognized request argument supplied: stream_options";
        assert_eq!(without_prompt(message, "one two three four"), message);
        assert_eq!(without_prompt(message, ""), message);
        assert_eq!(without_prompt(message, "a"), message);
    }

    #[test]
    fn what_repeats_the_prompt_is_left_out() {
        let message = "status 422: field required, input 'tell me a secret of yours', sorry";
        assert_eq!(
            without_prompt(message, "tell me a secret of yours"),
            "status 422: field required, input '…', sorry"
        );
        let turn = Message { role: "user".into(), content: "tell me a secret of yours".into() };
        let hidden = without(message, &[], &Prompt::Messages(vec![turn]));
        assert!(!hidden.contains("secret"), "{hidden}");
        let long = format!("{} tell me a secret of yours {}", "x".repeat(20_000), "y".repeat(9));
        assert!(!without_prompt(message, &long).contains("secret"));
        assert!(!without_prompt("bad input: pass", "pass").contains("pass"));
    }

    #[test]
    fn keys_are_left_out_wherever_they_stand() {
        let secrets: [&[u8]; 2] = [b"sk-12345", b"Bearer sk-12345"];
        let prompt = Prompt::Text(String::new());
        assert_eq!(
            without("Incorrect API key provided: sk-12345. (401)", &secrets, &prompt),
            "Incorrect API key provided: …. (401)"
        );
        assert_eq!(without("ä Bearer sk-12345 ü", &secrets, &prompt), "ä … ü");
    }
}
