//! What the simulator's document says of faults.

use std::path::Path;

use trueline_sim::server::Fault;

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
