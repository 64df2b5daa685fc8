//! The table of measurements: quoted CSV with a header.

/// One measurement as it stands in the table.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) hardware: String,
    pub(super) devices: String,
    pub(super) model: String,
    pub(super) weights: String,
    pub(super) kv: String,
    pub(super) phase: String,
    pub(super) batch: String,
    pub(super) context: String,
    pub(super) osl: String,
    pub(super) measured: String,
    pub(super) engine: String,
    pub(super) ceiling: String,
    pub(super) verdict: String,
    pub(super) source: String,
    pub(super) note: String,
}

/// Reads a table; a line of another length than the header is a failure of the test.
pub(super) fn read(text: &str) -> Vec<Row> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).map(fields);
    let header = lines.next().expect("a header");
    lines
        .map(|line| {
            assert_eq!(line.len(), header.len(), "{line:?}");
            let field = |name: &str| {
                let place = header.iter().position(|column| column == name);
                line[place.unwrap_or_else(|| panic!("no column {name}"))].trim().to_owned()
            };
            Row {
                id: field("id"),
                hardware: field("hardware"),
                devices: field("devices"),
                model: field("model"),
                weights: field("weights"),
                kv: field("kv"),
                phase: field("phase"),
                batch: field("batch"),
                context: field("context_or_isl"),
                osl: field("osl"),
                measured: field("measured_tok_s"),
                engine: field("engine"),
                ceiling: field("ceiling_tok_s"),
                verdict: field("verdict"),
                source: field("source"),
                note: field("note"),
            }
        })
        .collect()
}

/// The fields of a line; quoted ones may hold commas and doubled quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                fields.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields.last_mut().unwrap().push(other),
        }
    }
    assert!(!quoted, "a quote that does not end: {line}");
    fields
}

#[test]
fn commas_and_quotes_inside_quotes_are_text() {
    assert_eq!(fields(r#"1,"a, ""b""",,c"#), ["1", "a, \"b\"", "", "c"]);
}
