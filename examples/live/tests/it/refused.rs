//! What cannot be done, and a server that is not there.

use crate::ran::{measured, parts, quick, run, start, url};

/// The line on standard error of a program that ends with 2.
fn refused(name: &str, arguments: &[&str]) -> String {
    let output = run(name, arguments);
    assert_eq!(output.status.code(), Some(2), "{name} {arguments:?}");
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn bad_usage_is_one_line_that_says_what_was_expected() {
    let url = "http://127.0.0.1:9";
    for (arguments, said) in [
        (&[][..], "required"),
        (&["localhost:8000"], "expected a URL such as http://127.0.0.1:8000"),
        (&[url, "--arrival", "trace"], "replay URL --log PATH"),
        (&[url, "--prefix", "tepid"], "expected cold, warm or hit-shares"),
        (&[url, "--requests", "3", "--seconds", "5"], "cannot be used with"),
        (&[url, "--requests", "0"], "--requests"),
        (&[url, "--until-width", "0"], "expected a width between 0 and 100 %"),
        (&[url, "--budget", "in-flight=0"], "expected in-flight=N"),
        (&[url, "--condition", "colour=red"], "with a key of model, quantization"),
        (&[url, "--api", "grpc"], "one of openai-chat"),
        (&[url, "--key-env", "NO_SUCH_KEY_HERE"], "expected a key in that environment variable"),
        (&[url, "--levels", "1"], "--levels"),
        (&[url, "--model", "m", "--out", "/nowhere/report"], "--out /nowhere/report"),
        (&[url, "--model", "m", "--arrival", "closed=4", "--budget", "in-flight=2"], "budget of 2"),
        (&[url, url, "--model", "m", "--seconds", "5"], "expected a number of requests"),
    ] {
        let line = refused("probe", arguments);
        assert!(line.contains(said), "{arguments:?}: {line}");
    }
    assert!(refused("sweep", &[url, "--levels", "2,2"]).contains("each level once"));
    for (arguments, said) in [
        (["--arrival", "poisson=2"], "the rates are those of --levels"),
        (["--arrival", "poisson"], "expected a level that is a rate"),
    ] {
        let line = refused("sweep", &[&[url, "--model", "m"][..], &arguments].concat());
        assert!(line.contains(said), "{line}");
    }
    let metrics = "http://127.0.0.1:9/metrics";
    let two = [url, "http://127.0.0.1:10", "--model=m", "--metrics-url", metrics];
    assert!(refused("probe", &two).contains("once for each of the two servers"));
    let twice = [&two[..], &["--metrics-url", metrics]].concat();
    assert!(refused("probe", &twice).contains("each address once"));
    assert!(refused("replay", &[url]).contains("--log"));
    assert!(refused("replay", &[url, "--log", "/nowhere.jsonl"]).contains("/nowhere.jsonl"));
}

#[test]
fn a_model_that_nobody_names_is_asked_of_the_server() {
    let line = refused("probe", &["http://127.0.0.1:9"]);
    assert!(line.contains("give it by --model NAME"), "{line}");
    let mut config = quick();
    config.name = "qwen3-8b".to_owned();
    let server = start(config);
    let output = run("probe", &[&url(&server), "--requests=1", "--warmup=0", "--format=json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["results"]["measured"]["parts"][0]["answered"], 1, "{report}");
}

#[test]
fn a_server_that_is_not_there_is_told_and_ends_with_1() {
    let output = run("probe", &["http://127.0.0.1:9", "--model", "m", "--no-progress"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("0 of 10 requests answered, 10 failed"), "{text}");
    assert!(text.contains("connecting to 127.0.0.1:9 failed"), "{text}");
    assert!(text.contains("a part of what was asked for"), "{text}");
    // Advice names no flag that the program lacks.
    assert!(text.contains("Not observed: ") && !text.contains("--host"), "{text}");
    assert!(!text.contains("--log"), "{text}");
}

#[test]
fn why_requests_failed_is_told_by_kind_with_numbers() {
    let mut config = quick();
    (config.model.max_streams, config.model.queue_limit) = (1, Some(0));
    let server = start(config);
    let arguments = ["--requests=8", "--arrival=closed=2", "--budget=none", "--output-tokens=4"];
    let report = measured("probe", &[&[url(&server).as_str()][..], &arguments].concat());
    let failed = parts(&report)[0]["failed"].as_u64().unwrap();
    let told = &report["results"]["measured"]["failures"];
    assert_eq!(told.as_array().map(Vec::len), Some(1), "{told}");
    assert_eq!((&told[0]["kind"], &told[0]["status"]), (&"status".into(), &503.into()));
    assert_eq!((told[0]["count"].as_u64(), &told[0]["run"]), (Some(failed), &"cold".into()));
    assert!(told[0]["first_at_s"].as_f64().unwrap() > 1.7e9, "{told}");
    assert!(told[0]["example"].as_str().unwrap().contains("503"), "{told}");
}

#[test]
fn what_was_saved_before_is_not_written_over() {
    let file = std::env::temp_dir().join(format!("trueline-kept-{}.jsonl", std::process::id()));
    std::fs::write(&file, "mine\n").unwrap();
    let server = start(quick());
    let path = file.display().to_string();
    let line = refused("probe", &[&url(&server), "--save", &path]);
    assert!(line.contains("expected a new file"), "{line}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine\n");
    assert_eq!(server.ledger().entries().len(), 0, "nothing was sent");
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_key_goes_to_the_server_and_nowhere_else() {
    let mut command = std::process::Command::new(crate::ran::program("probe"));
    command.args(["http://127.0.0.1:9", "--model", "m", "--key-env", "TRUELINE_TEST_KEY"]);
    let output = command.env("TRUELINE_TEST_KEY", "sk-secret-1234").output().unwrap();
    for text in [output.stdout, output.stderr] {
        assert!(!String::from_utf8(text).unwrap().contains("sk-secret"));
    }
}
