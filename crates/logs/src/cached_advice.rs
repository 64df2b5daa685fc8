//! What to do about a log whose rows do not say how much of a prompt was cached.

/// What to do, by the format; `None` where nothing is known of it beyond what holds of every server.
pub(crate) fn of(format: &str) -> Option<&'static str> {
    const TRACE: &str =
        "no row of such a trace says it: take lengths and arrivals from it, and no prefill rate";
    Some(match format {
        "vllm-replies" => "start vLLM with --enable-prompt-tokens-details",
        "sglang" | "sglang-export" | "sglang-requests" => "start SGLang with --enable-cache-report",
        "ollama" => {
            "take a version of September 2026 or later, which says prompt_eval_cached_count"
        }
        "llama-cpp" => "take a build whose timings say cache_n",
        "llama-cpp-log" => {
            "take a build whose log says how long a prompt is, or keep the timings of its replies"
        }
        "tgi" | "tgi-headers" => {
            "TGI counts no cached tokens in any version: take a prefill rate from prompts that are known to be new"
        }
        "trtllm" => {
            "its records count blocks, not tokens: keep the usage of the replies, under the same ids"
        }
        "mlx-lm-log" => {
            "this log never says it: keep the usage of the replies, and their times at the client"
        }
        "otlp" | "otlp-lines" => {
            "spans of vLLM have no attribute for it: keep the usage of the replies; other exporters say \
             gen_ai.usage.cache_read.input_tokens"
        }
        "mooncake" | "bailian" | "azure-llm" | "burstgpt" | "dynamo-trace" => TRACE,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LOG_FORMATS;

    #[test]
    fn nobody_is_told_to_start_another_server_than_the_one_that_wrote_the_log() {
        let mut told = 0;
        for format in LOG_FORMATS {
            let Some(advice) = of(format.name) else { continue };
            told += 1;
            for (server, word) in [("vllm", "vLLM"), ("sglang", "SGLang"), ("tgi", "TGI")] {
                let is_its = format.name.starts_with(server) || format.name.starts_with("otlp");
                assert!(is_its || !advice.contains(word), "{}: {advice}", format.name);
            }
        }
        // Every name above is a format: 18 of them.
        assert_eq!(told, 18);
    }
}
