//! Enough of a shell to see which program a command line runs, in which loop, and what its output
//! goes through.

use std::rc::Rc;

/// One program with its words, quotes taken off.
pub(crate) type Program = Vec<String>;

/// A loop's variable and values.
pub(crate) type Loop = (String, Vec<String>);

/// Programs joined by pipes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Pipeline {
    /// The programs, from the first to the last.
    pub(crate) programs: Vec<Program>,
    /// The loops around it, outermost first: variable and values.
    pub(crate) loops: Vec<Rc<Loop>>,
    /// Whether a failure of the first program is the pipeline's: `pipefail` was set before it.
    pub(crate) pipefail: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Pipe,
    /// What ends a pipeline: `;`, `&&`, `||`, `&`, a line end.
    End,
}

/// How deep commands inside quotes are followed, as in `ssh host 'bash -c "…"'`.
const DEEPEST: u32 = 4;

/// The longest command line that is looked at, in bytes: a text that holds more is none.
const LONGEST: usize = 16 << 10;

/// The pipelines of a command line, those inside quotes included; none of a text too long for one.
pub(crate) fn pipelines(text: &str) -> Vec<Pipeline> {
    let mut found = Vec::new();
    if text.len() <= LONGEST {
        collect(text, 0, &mut found);
    }
    found
}

fn collect(text: &str, depth: u32, found: &mut Vec<Pipeline>) {
    let mut loops: Vec<Rc<Loop>> = Vec::new();
    let mut pipefail = false;
    let (mut programs, mut words): (Vec<Program>, Program) = (Vec::new(), Vec::new());
    let mut tokens = tokens(text);
    tokens.push(Token::End);
    for token in tokens {
        match token {
            Token::Word(word) => words.push(word),
            Token::Pipe => programs.push(std::mem::take(&mut words)),
            Token::End => {
                programs.push(std::mem::take(&mut words));
                let mut all = std::mem::take(&mut programs);
                let Some(first) = all.first_mut() else { continue };
                strip_grammar(first, &mut loops);
                if first.first().is_some_and(|w| w == "set") {
                    pipefail |= first.iter().any(|w| w == "pipefail" || w == "-eo");
                }
                let bash = first.iter().any(|w| w == "bash" || w == "sh" || w.ends_with("/bash"));
                let asked = bash && first.iter().any(|w| w == "pipefail");
                if depth < DEEPEST {
                    for word in all.iter().flatten().filter(|w| w.contains(char::is_whitespace)) {
                        let before = found.len();
                        collect(word, depth + 1, found);
                        for inner in found.iter_mut().skip(before) {
                            inner.pipefail |= asked;
                        }
                    }
                }
                all.retain(|program| !program.is_empty());
                if !all.is_empty() {
                    found.push(Pipeline { programs: all, loops: loops.clone(), pipefail });
                }
            }
        }
    }
}

/// Takes a loop's head, `do`, `then`, braces and assignments off the front of a program.
fn strip_grammar(program: &mut Program, loops: &mut Vec<Rc<Loop>>) {
    loop {
        let Some(first) = program.first().cloned() else { return };
        match first.as_str() {
            "for" => {
                let name = program.get(1).cloned().unwrap_or_default();
                let values = program.iter().skip(3).cloned().collect();
                loops.push(Rc::new((name, values)));
                program.clear();
            }
            "done" => {
                loops.pop();
                program.remove(0);
            }
            "do" | "then" | "else" | "{" | "(" | "time" | "nohup" | "if" | "while" => {
                program.remove(0);
            }
            word if is_assignment(word) => {
                program.remove(0);
            }
            _ => return,
        }
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    let mut skip_target = false;
    let end_word = |word: &mut Option<String>, skip: &mut bool, tokens: &mut Vec<Token>| {
        if let Some(text) = word.take() {
            if *skip {
                *skip = false;
            } else {
                tokens.push(Token::Word(text));
            }
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let text = word.get_or_insert_default();
                text.extend(chars.by_ref().take_while(|c| *c != '\''));
            }
            '"' => {
                let text = word.get_or_insert_default();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    match (c, chars.peek()) {
                        ('\\', Some('"' | '\\' | '$' | '`')) => text.extend(chars.next()),
                        _ => text.push(c),
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(c) => word.get_or_insert_default().push(c),
            },
            '#' if word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            '>' | '<' => {
                // `2>` redirects, and the digit is no argument.
                if word.as_deref().is_some_and(|w| w.chars().all(|c| c.is_ascii_digit())) {
                    word = None;
                }
                end_word(&mut word, &mut skip_target, &mut tokens);
                while chars.next_if(|c| matches!(c, '>' | '<' | '&')).is_some() {}
                skip_target = true;
            }
            '|' => {
                end_word(&mut word, &mut skip_target, &mut tokens);
                if chars.next_if_eq(&'|').is_some() {
                    tokens.push(Token::End);
                } else {
                    chars.next_if_eq(&'&');
                    tokens.push(Token::Pipe);
                }
            }
            '&' if chars.peek() == Some(&'>') => {}
            ';' | '\n' | '&' => {
                end_word(&mut word, &mut skip_target, &mut tokens);
                chars.next_if_eq(&'&');
                tokens.push(Token::End);
            }
            c if c.is_whitespace() => end_word(&mut word, &mut skip_target, &mut tokens),
            c => word.get_or_insert_default().push(c),
        }
    }
    end_word(&mut word, &mut skip_target, &mut tokens);
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_pipes_and_quotes_are_seen() {
        let text = "for c in 1 2; do echo \"=== $c ===\"; run --n $c 2>&1 | grep -E \"A|B\"; done";
        let found = pipelines(text);
        let run = found.iter().find(|p| p.programs.len() == 2).unwrap();
        assert_eq!(run.programs[0], ["run", "--n", "$c"]);
        assert_eq!(run.programs[1], ["grep", "-E", "A|B"]);
        assert_eq!(run.loops, [Rc::new(("c".to_owned(), vec!["1".to_owned(), "2".to_owned()]))]);
        assert!(!run.pipefail);
    }

    #[test]
    fn commands_inside_quotes_are_followed() {
        let found = pipelines("ssh root@host 'source x && set -o pipefail; run -a | tee log'");
        let run = found.iter().find(|p| p.programs.len() == 2).unwrap();
        assert_eq!(run.programs[0], ["run", "-a"]);
        assert!(run.pipefail);
        assert!(pipelines("bash -o pipefail -c 'a | b'").iter().any(|p| p.pipefail));
    }

    #[test]
    fn redirects_and_comments_are_no_arguments() {
        let found = pipelines("run a > out.txt 2>err b # rest | grep\n&>x");
        assert_eq!(found[0].programs, [vec!["run".to_owned(), "a".into(), "b".into()]]);
        // Quotes that never end, brackets that never close: no panic, some words.
        for text in ["a 'b", "a \"b\\", "for", "for x", "|||", "a >", "", "done done"] {
            let _ = pipelines(text);
        }
    }
}
