//! What a model and a device are read from: configurations, headers of weight files, hardware files.

use std::io::{self, Read};

use trueline::core::{Tokens, TokensPerSecond};
use trueline_roofline::{
    Catalogue, KvStorage, Limits, LiveClocks, LogitRows, Model, ModelError, ModelPart, Prefix,
    RuntimePlan, Setup, Speculation, Stored, Verdict, Workload, estimate_roof, judge_claim,
};

/// A `config.json`.
pub fn config(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    asked(Model::from_hf_config(text))
}

/// The header of a GGUF file, read in pieces: what is read does not hang on how it comes.
pub fn gguf(data: &[u8]) -> bool {
    let whole = Model::from_gguf_header(data);
    same(&whole, &Model::from_gguf_header(Drops(data)));
    asked(whole)
}

/// The header of a safetensors file, read in pieces.
pub fn safetensors(data: &[u8]) -> bool {
    let whole = Model::from_safetensors_header(data);
    same(&whole, &Model::from_safetensors_header(Drops(data)));
    asked(whole)
}

/// A hardware file: its parts have ceilings, and what convicts is above what is published.
pub fn hardware(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let Ok(catalogue) = Catalogue::built_in().with_toml(text) else { return false };
    let known = Catalogue::built_in().parts().len();
    for part in catalogue.parts().iter().take(catalogue.parts().len().saturating_sub(known)) {
        let ceilings = part.ceilings(&LiveClocks::default());
        for (path, rate) in &ceilings.spec.compute {
            let most = ceilings.most.peak(*path).expect("a path that is published is one at most");
            assert!(most.high() >= rate.high() && rate.low() <= rate.high());
        }
        let _ = part.deviations();
        let _ = catalogue.find_name(&part.name);
    }
    catalogue.parts().len() > known
}

/// A few bytes at a time, as a slow disk gives them.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(7);
        self.0.read(&mut into[..most])
    }
}

fn same(whole: &Result<Model, ModelError>, pieces: &Result<Model, ModelError>) {
    match (whole, pieces) {
        (Ok(a), Ok(b)) => assert!(a == b),
        (Err(a), Err(b)) => assert_eq!(a.kind(), b.kind()),
        _ => panic!("{whole:?} {pieces:?}"),
    }
}

/// Asks a model everything; what it answers holds together.
fn asked(read: Result<Model, ModelError>) -> bool {
    let model = match read {
        Ok(model) => model,
        Err(error) => {
            let text = error.to_string();
            assert!(!text.is_empty() && text.len() < 10_000 && !text.contains('\u{1b}'));
            return false;
        }
    };
    let context = Tokens::new(5_000);
    let held = model.kv_held(context, Stored::Bf16, KvStorage::Whole);
    assert!(model.kv_read(context, Stored::Bf16) <= held);
    if let Some(active) = model.active() {
        assert!(active.total() <= model.totals().text);
    }
    let _ = model.bytes(ModelPart::Text);
    for warning in model.warnings() {
        assert!(!warning.to_string().is_empty());
    }
    let json = serde_json::to_string(&model).expect("a model is numbers and texts");
    assert!(crate::has_only_numbers(&json));
    let Ok(shape) = RuntimePlan::default().shape(&model) else { return true };
    let limits = Limits::of(
        Catalogue::built_in().get("H100 SXM").expect("it is there"),
        &LiveClocks::default(),
    );
    let workloads = [
        Workload::Prefill {
            new: Tokens::new(512),
            cached: Tokens::new(9),
            batch: 2,
            logits: LogitRows::All,
            prefix: Prefix::Unknown,
        },
        Workload::Decode {
            batch: 3,
            context,
            speculation: Speculation::Drafted(2),
            prefix: Prefix::Own,
        },
        Workload::Mixed {
            isl: Tokens::new(100),
            cached: Tokens::new(7),
            osl: Tokens::new(20),
            concurrency: None,
            speculation: Speculation::None,
            prefix: Prefix::Shared,
        },
    ];
    for workload in workloads {
        let Ok(roof) = estimate_roof(&shape, &workload, &limits) else { continue };
        assert!(roof.strict.low() <= roof.strict.high());
        if let Some(bound) = &roof.model {
            assert!(bound.high().get() <= roof.strict.high().get() * (1.0 + 1e-6));
        }
        let Ok(claim) = TokensPerSecond::new(roof.strict.high().get() * 1.5) else { continue };
        let verdict = judge_claim(claim, Setup::new(&shape, &workload, &limits), &roof);
        assert!(matches!(verdict, Verdict::Impossible { .. } | Verdict::Undecidable { .. }));
        assert!(crate::has_only_numbers(
            &serde_json::to_string(&(roof, verdict)).expect("numbers")
        ));
    }
    true
}
