//! What the documents say: the simulator's of faults, the probe's of flags.

use std::path::Path;

use trueline_sim::server::Fault;

use crate::ran::run;

#[test]
fn the_document_lists_each_fault_as_the_server_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/simulator.md");
    let document = std::fs::read_to_string(path).unwrap();
    let (_, table) =
        document.split_once("| fault | what the server does |\n| --- | --- |\n").unwrap();
    let (table, _) = table.split_once("\n\n").unwrap();
    let expected: Vec<String> =
        Fault::ALL.iter().map(|fault| format!("| `{}` | {} |", fault.form, fault.does)).collect();
    assert_eq!(table.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn every_flag_of_the_probe_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/probe.md");
    let document = std::fs::read_to_string(path).unwrap();
    let mut seen = 0;
    for name in ["probe", "sweep", "replay"] {
        let help = String::from_utf8(run(name, &["--help"]).stdout).unwrap();
        let flags = help.lines().map(str::trim_start).filter_map(|line| {
            let line = line.strip_prefix("-h, ").or(line.strip_prefix("-V, ")).unwrap_or(line);
            line.starts_with("--").then(|| line.split([' ', ',', '=']).next().unwrap())
        });
        for flag in flags.filter(|flag| !["--help", "--version"].contains(flag)) {
            assert!(document.contains(&format!("`{flag}")), "{flag} of {name} is not documented");
            seen += 1;
        }
    }
    assert!(seen > 60, "{seen}");
}
