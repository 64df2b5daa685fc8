//! Names of modules as quantisation blocks write them: whole, by prefix, with `*`, or as `re:`.

/// A name with `*` for what may differ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern {
    text: String,
    /// The source named one layer (or one expert) by its number.
    pub(super) numbered: bool,
    /// How many parts of the name were numbers.
    pub(super) numbers: usize,
}

impl Pattern {
    /// Reads one entry; `None` for a regular expression beyond `.*`, `\.`, `\d+`, `^` and `$`.
    pub(super) fn read(entry: &str) -> Option<Self> {
        let (text, whole) = match entry.strip_prefix("re:") {
            Some(regex) => (translated(regex)?, regex.ends_with('$')),
            None => (entry.to_owned(), true),
        };
        let text = text.replace("language_model.", "");
        let mut numbers = 0;
        let parts: Vec<&str> = text
            .split('.')
            .map(|part| {
                let number = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
                numbers += usize::from(number);
                if number { "*" } else { part }
            })
            .collect();
        let mut text = parts.join(".");
        if !whole {
            text.push('*');
        }
        Some(Self { text, numbered: numbers > 0, numbers })
    }

    /// Whether it names this module, one around it, or the end of its path.
    pub(super) fn names(&self, module: &str) -> bool {
        let text = self.text.as_str();
        glob(text, module)
            || glob(&format!("{text}.*"), module)
            || glob(&format!("*.{text}"), module)
            || glob(&format!("*.{text}.*"), module)
    }
}

/// A regular expression as a pattern with `*`.
fn translated(regex: &str) -> Option<String> {
    let regex = regex.strip_prefix('^').unwrap_or(regex);
    let regex = regex.strip_suffix('$').unwrap_or(regex);
    // A dot that means a dot stands aside while `.*` is replaced.
    let text = regex
        .replace("\\.", "\0")
        .replace("\\d+", "*")
        .replace("[0-9]+", "*")
        .replace(".*", "*")
        .replace('\0', ".");
    let plain = !text.contains(['[', ']', '(', ')', '{', '}', '|', '+', '?', '\\', '^', '$']);
    plain.then_some(text)
}

/// Whether `text` fits `pattern`, where `*` stands for any text.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            let Some((_, after)) = rest.split_once(part) else { return false };
            rest = after;
        }
    }
    last.map_or(rest.is_empty(), |end| rest.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entry: &str, module: &str, expected: bool) {
        let pattern = Pattern::read(entry).unwrap();
        assert_eq!(pattern.names(module), expected, "{entry} and {module}");
    }

    #[test]
    fn entries_of_published_blocks_name_what_they_mean() {
        check("lm_head", "lm_head", true);
        check("model.layers.*.self_attn", "model.layers.*.self_attn.q_proj", true);
        check("model.layers.*.self_attn", "model.layers.*.mlp.up_proj", false);
        check("re:.*lm_head", "lm_head", true);
        check("re:.*mlp.gate$", "model.layers.*.mlp.gate", true);
        check("re:.*mlp.gate$", "model.layers.*.mlp.gate_proj", false);
        check("re:.*self_attn.*", "model.layers.*.self_attn.o_proj", true);
        check("model.language_model.layers.3.mlp.gate", "model.layers.*.mlp.gate", true);
        check("mtp*", "model.layers.*.mlp.gate", false);
        check("*mlp.gate", "model.layers.*.mlp.gate", true);
        check("re:model\\.layers\\.\\d+\\.mlp.*", "model.layers.*.mlp.down_proj", true);
        check("gate", "model.layers.*.mlp.gate", true);
        check("gate", "model.layers.*.mlp.gate_proj", false);
    }

    #[test]
    fn numbers_are_remembered() {
        let pattern = Pattern::read("model.layers.17.mlp.experts.3.up_proj").unwrap();
        assert!(pattern.numbered && pattern.numbers == 2);
        assert!(!Pattern::read("lm_head").unwrap().numbered);
    }

    #[test]
    fn an_expression_that_is_not_understood_is_none() {
        assert_eq!(Pattern::read("re:.*(gate|router)"), None);
    }
}
