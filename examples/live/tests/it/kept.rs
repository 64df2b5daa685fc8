//! What `--save` leaves behind, read by the other programs.

use std::path::Path;

use trueline::host::parse_host_record;
use trueline::logs::read_runs;

use crate::ran::{quick, run, start, url};

#[test]
fn a_run_and_the_host_meanwhile_stand_beside_each_other() {
    let server = start(quick());
    let folder = std::env::temp_dir().join(format!("trueline-saved-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("cold.jsonl");
    let path = file.display().to_string();
    let metrics = format!("{}/metrics", url(&server));
    let flags = ["--requests", "6", "--output-tokens", "4", "--no-progress"];
    let asked = [&url(&server), "--save", &path, "--metrics-url", &metrics];
    let output = run("probe", &[&asked[..], &flags[..]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("cold.host.json"), "{text}");
    let runs = read_runs(&file).unwrap().value;
    assert_eq!(runs[0].requests.iter().filter(|request| !request.warmup).count(), 6);
    let record = std::fs::read_to_string(folder.join("cold.host.json")).unwrap();
    let record = parse_host_record(&record).unwrap();
    let [before, after] = [record.before, record.after].map(|state| state.unwrap().server);
    assert!(before.is_known() && before != after, "the server's counters moved");
    let again = run("probe", &[&url(&server), "--save", &path]);
    assert_eq!(again.status.code(), Some(2));
    std::fs::remove_dir_all(Path::new(&folder)).unwrap();
}
