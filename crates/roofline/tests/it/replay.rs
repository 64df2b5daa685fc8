//! Published measurements held against the bounds.
//!
//! They run where `TRUELINE_CORPUS` names the folder of the corpus. Nothing here knows single rows: whatever
//! a table of this form holds is mapped, judged and counted.

mod model;
mod rank;
mod row;
mod table;
mod workload;

use std::collections::{BTreeMap, BTreeSet};

use trueline_core::{Ratio, TokensPerSecond};
use trueline_roofline::{Parameter, Verdict, far_below_siblings};

use rank::spearman;
use row::{Judged, judge};
use table::Row;

fn rows() -> Option<Vec<Row>> {
    let folder = std::env::var_os("TRUELINE_CORPUS").map(std::path::PathBuf::from);
    if folder.is_none() {
        say("skipped: TRUELINE_CORPUS is not set");
    }
    let text = std::fs::read_to_string(folder?.join("roofline-measurements.csv")).unwrap();
    Some(table::read(&text))
}

#[expect(clippy::print_stderr, reason = "the table is what the test is for")]
fn say(text: &str) {
    eprintln!("{text}");
}

/// The rows that can be judged, and why the others cannot.
fn judged(rows: &[Row]) -> (Vec<Judged<'_>>, Vec<String>) {
    let (mut judged, mut unknown) = (Vec::new(), Vec::new());
    for row in rows {
        match judge(row) {
            Ok(found) => judged.push(found),
            Err(why) => unknown.push(format!("row {}: {why}", row.id)),
        }
    }
    assert_eq!(judged.len() + unknown.len(), rows.len());
    (judged, unknown)
}

#[test]
fn every_published_rate_is_below_the_strict_ceiling_but_the_one_of_another_dtype() {
    let Some(rows) = rows() else { return };
    let (judged, unknown) = judged(&rows);
    say(&format!("{} rows, {} judged, {} not:", rows.len(), judged.len(), unknown.len()));
    say(&unknown.join("\n"));
    assert!(judged.len() * 10 >= rows.len() * 9, "{} of {}", judged.len(), rows.len());
    let mut controls = 0;
    for found in &judged {
        let row = found.row;
        if row.verdict != "ABOVE-CEILING" {
            assert!(
                matches!(found.verdict, Verdict::NotExcluded { .. } | Verdict::FarBelow { .. }),
                "{row:?}: {:?}",
                found.verdict
            );
            continue;
        }
        controls += 1;
        let Verdict::Impossible { causes, .. } = &found.verdict else {
            panic!("{row:?}: {:?}", found.verdict)
        };
        let first = causes.first().unwrap();
        assert!(matches!(first.parameter, Parameter::Dtype { .. }), "{row:?}: {causes:#?}");
        say(&format!("row {}: impossible: {first}", row.id));
    }
    assert!(controls > 0, "the positive control is missing");
}

/// Made up but for the first, which is in spark-arena/recipe-registry issue 17.
const SMALL: &str = r#"id,hardware,devices,model,weights,kv,phase,batch,context_or_isl,osl,measured_tok_s,engine,ceiling_tok_s,verdict,source,note
1,DGX Spark GB10,1,gpt-oss-120b,"as shipped: experts mxfp4, rest bf16",fp8,decode,1,short,,59.5,vLLM,54.6,ABOVE-CEILING,a,
2,DGX Spark GB10,1,gpt-oss-120b,"mxfp4 on experts, qkv, o, lm_head",fp8,decode,1,short,,59.5,vLLM,99.4,below,a,
3,A100 80GB,1,Llama-3-8B,GGUF Q4_K_M,-,decode,1,0->512 (mean 256),512,400,llama.cpp,,below,a,80 GB come as two parts
4,H100 SXM 80GB,1,Llama-3-8B,bf16,bf16,decode,1,4096,,300,a,,,a,with MTP drafts
5,H999,1,Llama-3-8B,bf16,bf16,decode,1,4096,,300,a,,,a,
6,H100 SXM 80GB,1,Llama-9-8B,bf16,bf16,decode,1,4096,,300,a,,,a,
7,H100 SXM 80GB,1,Llama-3-8B,int3 magic,bf16,decode,1,4096,,300,a,,,a,
8,H100 SXM 80GB,1,Llama-3-8B,bf16,bf16,training,1,4096,,300,a,,,a,
9,H100 SXM 80GB,1,Llama-3-8B,bf16,bf16,decode,1,some,,300,a,,,a,
10,H100 SXM 80GB,1,Llama-3-8B,bf16,bf16,decode,1,4096,,fast,a,,,a,"#;

#[test]
fn a_row_is_judged_by_what_it_says_or_named_as_not_known() {
    let rows = table::read(SMALL);
    let (judged, unknown) = judged(&rows);
    let verdicts: Vec<&Verdict> = judged.iter().map(|found| &found.verdict).collect();
    assert!(
        matches!(
            verdicts.as_slice(),
            [
                Verdict::Impossible { .. },
                Verdict::NotExcluded { .. },
                Verdict::NotExcluded { .. },
                Verdict::Undecidable { .. },
            ]
        ),
        "{verdicts:#?}"
    );
    let ids: Vec<&str> = unknown.iter().filter_map(|why| Some(why.split_once(':')?.0)).collect();
    assert_eq!(ids, ["row 5", "row 6", "row 7", "row 8", "row 9", "row 10"]);
}

/// The rows far below their siblings, by id.
fn outliers(judged: &[Judged<'_>]) -> BTreeSet<String> {
    let mut groups: BTreeMap<[&str; 6], Vec<&Judged<'_>>> = BTreeMap::new();
    for found in judged {
        let row = found.row;
        let key = [&row.model, &row.weights, &row.phase, &row.engine, &row.context, &row.osl];
        groups.entry(key.map(String::as_str)).or_default().push(found);
    }
    let mut flagged = BTreeSet::new();
    for group in groups.values() {
        let shares: Vec<Ratio> = group.iter().map(|found| found.share()).collect();
        for far in far_below_siblings(&shares) {
            let id = &group[far.index].row.id;
            say(&format!("row {id}: {:.3} beside {:.3}", far.efficiency.get(), far.median.get()));
            flagged.insert(id.clone());
        }
    }
    flagged
}

#[test]
fn rows_noted_as_outliers_are_those_far_below_their_siblings() {
    let Some(rows) = rows() else { return };
    let (judged, _) = judged(&rows);
    let noted = judged.iter().filter(|found| found.row.note.starts_with("outlier"));
    let noted: BTreeSet<String> = noted.map(|found| found.row.id.clone()).collect();
    assert!(!noted.is_empty(), "no row is noted as an outlier");
    assert_eq!(outliers(&judged), noted);
}

/// The least rank correlation of any group, and the one that was hoped for.
///
/// Decode and mixed load reach 0.95. Prefill with llama.cpp does not: it reaches 54 to 76 % of what is
/// predicted on Apple parts, about 43 % on Ampere cards and 18 to 27 % on the largest ones, and its rows stand
/// in clusters whose order is that of the engine's efficiency. A bound knows nothing of it.
const LEAST: f64 = 0.90;
const HOPED: f64 = 0.95;

#[test]
fn predicted_and_measured_rates_rank_alike() {
    let Some(rows) = rows() else { return };
    let (judged, _) = judged(&rows);
    let outliers = outliers(&judged);
    let mut groups: BTreeMap<(&str, &str), Vec<&Judged<'_>>> = BTreeMap::new();
    for found in &judged {
        groups.entry((&found.row.engine, &found.row.phase)).or_default().push(found);
    }
    groups.retain(|_, group| group.len() > 8);
    assert!(!groups.is_empty(), "no group of more than 8 rows");
    let (mut low, mut reached) = (Vec::new(), 0);
    for ((engine, phase), group) in &groups {
        say(&format!("{engine}, {phase}"));
        for found in group {
            say(&found.to_string());
        }
        let rho = |of: &dyn Fn(&Judged<'_>) -> bool| {
            let kept: Vec<&&Judged<'_>> = group.iter().filter(|found| of(found)).collect();
            let predicted: Vec<f64> = kept.iter().map(|found| found.predicted().get()).collect();
            let measured: Vec<f64> = kept.iter().map(|found| found.claim.get()).collect();
            (kept.len(), spearman(&predicted, &measured).unwrap())
        };
        let all = rho(&|_| true);
        let kept = rho(&|found| !outliers.contains(&found.row.id));
        let short = if kept.1 < HOPED { ", short of 0.95" } else { "" };
        say(&format!(
            "rank correlation {:.3} of {} rows; {:.3} of {} without outliers{short}",
            all.1, all.0, kept.1, kept.0
        ));
        reached += usize::from(kept.1 >= HOPED);
        if kept.1 < LEAST {
            low.push(format!("{engine} {phase}: {:.3}", kept.1));
        }
    }
    assert!(low.is_empty(), "{low:?}");
    assert!(reached > 0, "none of {} groups reaches 0.95", groups.len());
}

fn rate(value: f64) -> Result<TokensPerSecond, String> {
    TokensPerSecond::new(value).map_err(|e| e.to_string())
}
