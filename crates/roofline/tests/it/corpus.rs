//! Real configs against totals that others published.
//!
//! They run where `TRUELINE_CORPUS` names the folder of the corpus.

use std::path::PathBuf;

use trueline_roofline::{Model, Role, Scales, Stored, Warning};

pub(super) fn configs() -> Option<PathBuf> {
    let folder = std::env::var_os("TRUELINE_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        #[expect(clippy::print_stderr, reason = "says why nothing was tested")]
        {
            eprintln!("skipped: TRUELINE_CORPUS is not set");
        }
    }
    folder.map(|folder| folder.join("model-configs"))
}

/// File, parameters without and with multi-token prediction, as the corpus' README states them.
///
/// What is not published there is left out: those files only have to be readable.
const TOTALS: [(&str, u64, u64); 12] = [
    ("meta-llama--Meta-Llama-3.1-8B", 8_030_261_248, 8_030_261_248),
    ("meta-llama--Meta-Llama-3.1-70B", 70_553_706_496, 70_553_706_496),
    ("Qwen--Qwen2.5-7B-Instruct", 7_615_616_512, 7_615_616_512),
    ("Qwen--Qwen3-30B-A3B", 30_532_122_624, 30_532_122_624),
    ("Qwen--Qwen3-Next-80B-A3B", 79_674_391_296, 79_674_391_296),
    ("mistralai--Mixtral-8x7B-v0.1", 46_702_792_704, 46_702_792_704),
    ("openai--gpt-oss-120b", 116_829_156_672, 116_829_156_672),
    ("deepseek-ai--DeepSeek-V3", 671_026_419_200, 684_489_845_504),
    ("zai-org--GLM-4.5", 352_797_829_024, 358_337_791_296),
    ("zai-org--GLM-4.5-Air", 106_852_251_264, 110_468_824_832),
    ("google--gemma-3-27b-it.text", 27_009_346_304, 27_009_346_304),
    ("deepseek-ai--DeepSeek-V3.2", 671_877_944_064, 685_355_329_792),
];

#[test]
fn every_config_is_read_and_no_field_of_it_is_unknown() {
    let Some(folder) = configs() else { return };
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let model = Model::from_hf_config(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let unknown: Vec<String> = model
            .warnings()
            .iter()
            .filter(|w| matches!(w, Warning::UnknownField { .. }))
            .map(ToString::to_string)
            .collect();
        assert!(unknown.is_empty(), "{path:?}: {unknown:?}");
        assert!(model.active().is_some() && model.streamed().is_some());
        assert!(model.tensors().len() < 100, "{path:?}: {} rows", model.tensors().len());
        read += 1;
    }
    assert!(read >= 20, "{read} configs");
}

#[test]
fn totals_of_real_configs_are_the_published_integers() {
    let Some(folder) = configs() else { return };
    for (name, text, with_mtp) in TOTALS {
        let path = folder.join(format!("{name}.json"));
        let model = Model::from_hf_config(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(model.totals().text.get(), text, "{name}");
        assert_eq!(model.totals().with_mtp().get(), with_mtp, "{name}");
    }
}

#[test]
fn infinity_in_a_real_config_is_read_as_null_and_said() {
    let Some(folder) = configs() else { return };
    let path = folder.join("nvidia--Nemotron-H-56B-Base-8K.json");
    let model = Model::from_hf_config(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(model.warnings().contains(&Warning::NotJson { count: 1 }));
}

#[test]
fn quantisation_beside_a_real_config_is_read() {
    let Some(folder) = configs() else { return };
    let path = folder.join("nvidia--Qwen3-235B-A22B-NVFP4.json");
    let text = std::fs::read_to_string(path).unwrap();
    let beside = r#"{"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4",
        "kv_cache_quant_algo": "FP8", "group_size": 16,
        "exclude_modules": ["lm_head", "model.layers.0.mlp.gate"]}}"#;
    let model = Model::from_hf_config_quantised(&text, beside).unwrap();
    assert_eq!(model.stated_kv(), Some(Stored::Fp8(Scales::Tensor)));
    for tensor in model.tensors() {
        let quantised = matches!(tensor.role(), Role::Attn | Role::Expert);
        let expected = if quantised { Stored::Nvfp4 } else { Stored::Bf16 };
        assert_eq!(tensor.stored(), expected, "{}", tensor.name());
    }
}
