//! A text such as prompts and replies hold, with quotes and line ends, as each writer escapes it.

use std::sync::LazyLock;

/// The text: some 700 characters.
const TEXT: &str = "A log is read line by line. What a line says of a request is a handful of numbers; most of \
    its bytes are words that nobody reads again.\nThe reader can't know which is which before it has looked, so \
    it looks at every byte once:\n\n1. \"prompt\" and \"reply\" are texts, with quotes that are escaped;\n2. \
    counts are whole numbers, and times have fractions;\n3. an object may hold another, {\"like\": \"this\"}, \
    and a text may hold what looks like one.\n\nIt doesn't keep any of the texts. Where a file is larger than \
    the memory of the machine, that is the only way to read it at all, and where it is not, it is the faster \
    one.\n\tSo much for the words; they stand here to be passed over.";

/// As JSON has it between its quotes.
pub(super) static JSON: LazyLock<String> = LazyLock::new(|| json(TEXT));

/// As JSON has it that stands within a text of JSON.
pub(super) static JSON_IN_JSON: LazyLock<String> = LazyLock::new(|| json(&JSON));

/// As Python's `repr` has it between its quotes, which are single ones.
pub(super) static PYTHON: LazyLock<String> = LazyLock::new(|| {
    TEXT.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\t', "\\t")
});

/// A text with JSON's escapes.
pub(super) fn json(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t")
}
