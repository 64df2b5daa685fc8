//! The command line that a benchmark was started with.

use std::collections::BTreeMap;

use super::arguments::Arguments;
use super::filter::Filter;
use super::shell::{Pipeline, Program, pipelines};

/// What a command line says of a benchmark: tool, arguments, loop, filters.
///
/// # Examples
/// ```
/// use trueline_logs::CommandLine;
/// let line = "for c in 1 8; do python -m sglang.bench_serving --request-rate -1 \
///             --max-concurrency $c 2>&1 | grep -E 'TPOT|ITL'; done";
/// let command = CommandLine::parse(line).unwrap();
/// assert_eq!(command.tool(), "sglang bench_serving");
/// assert_eq!(command.levels(), 2);
/// assert_eq!(command.arguments_of(1).count("max_concurrency"), Some(8));
/// assert!(command.hides_exit_status());
/// ```
#[derive(Debug, Clone)]
pub struct CommandLine {
    tool: &'static str,
    arguments: Arguments,
    loops: Vec<(String, Vec<String>)>,
    filters: Vec<Filter>,
    pipefail: bool,
}

/// How tools are called: words of the command, and the tool's name.
const CALLED: &[(&[&str], &str)] = &[
    (&["sglang.bench_serving"], "sglang bench_serving"),
    (&["sglang.benchmark.serving"], "sglang bench_serving"),
    (&["sglang-bench"], "sglang bench_serving"),
    (&["bench_serving.py"], "sglang bench_serving"),
    (&["vllm", "bench", "serve"], "vllm bench serve"),
    (&["benchmark_serving.py"], "vllm bench serve"),
    (&["vllm.entrypoints.cli.main", "bench", "serve"], "vllm bench serve"),
    (&["genai-perf"], "genai-perf"),
    (&["aiperf"], "aiperf"),
    (&["guidellm"], "guidellm"),
    (&["inference-perf"], "inference-perf"),
    (&["inference-benchmarker"], "inference-benchmarker"),
    (&["token_benchmark_ray.py"], "llmperf"),
    (&["llama-bench"], "llama-bench"),
    (&["trtllm-bench"], "trtllm-bench"),
];

impl CommandLine {
    /// The first benchmark that a command line runs; `None` where it runs none that is known.
    pub fn parse(text: &str) -> Option<Self> {
        pipelines(text).into_iter().find_map(|pipeline| Self::of(&pipeline))
    }

    fn of(pipeline: &Pipeline) -> Option<Self> {
        let (at, tool) = pipeline
            .programs
            .iter()
            .enumerate()
            .find_map(|(i, program)| Some((i, called(program)?)))?;
        let program = pipeline.programs.get(at)?;
        let filters = pipeline.programs.iter().skip(at + 1).map(|p| Filter::of(p)).collect();
        Some(Self {
            tool,
            arguments: flags(program),
            loops: pipeline.loops.iter().map(|of| of.as_ref().clone()).collect(),
            filters,
            pipefail: pipeline.pipefail,
        })
    }

    /// The tool that it runs.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// How many runs its loops make; 1 without any.
    pub fn levels(&self) -> usize {
        let lengths = self.loops.iter().map(|(_, values)| values.len().max(1));
        lengths.fold(1, usize::saturating_mul)
    }

    /// The arguments of one run, loop variables filled in. The innermost loop turns fastest.
    pub fn arguments_of(&self, level: usize) -> Arguments {
        let mut chosen: BTreeMap<&str, &str> = BTreeMap::new();
        let mut left = level;
        for (variable, values) in self.loops.iter().rev() {
            let n = values.len().max(1);
            // An inner loop hides an outer one of the same name.
            if let (Some(value), false) = (values.get(left % n), chosen.contains_key(&**variable)) {
                chosen.insert(variable, value);
            }
            left /= n;
        }
        let mut filled = Arguments::default();
        for (name, value) in self.arguments.iter() {
            filled.set(name, expanded(value, &chosen));
        }
        filled
    }

    /// What its output goes through, in order.
    pub fn filters(&self) -> &[Filter] {
        &self.filters
    }

    /// Whether a failure of the tool is hidden by what follows it in the pipe.
    pub fn hides_exit_status(&self) -> bool {
        !self.filters.is_empty() && !self.pipefail
    }

    /// Whether its filters together let a line through; `None` where nobody can say.
    pub fn shows(&self, line: &str) -> Option<bool> {
        let mut all = true;
        for filter in &self.filters {
            all &= filter.keeps(line)?;
        }
        Some(all)
    }
}

/// A text with the variables of loops filled in, once and by their whole names, as a shell does: what
/// is filled in is not looked at again.
fn expanded(text: &str, chosen: &BTreeMap<&str, &str>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let length = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let bare = after.split_at(length.unwrap_or(after.len()));
        let (name, behind) = braced.unwrap_or(bare);
        if let Some(value) = chosen.get(name) {
            out.push_str(value);
            rest = behind;
        } else {
            out.push('$');
            rest = after;
        }
    }
    out + rest
}

fn called(program: &Program) -> Option<&'static str> {
    let is = |word: &String, name: &&str| {
        word == name || word.rsplit('/').next().is_some_and(|last| last == *name)
    };
    CALLED.iter().find_map(|(words, tool)| {
        let fits =
            program.windows(words.len()).any(|w| w.iter().zip(*words).all(|(w, n)| is(w, n)));
        fits.then_some(*tool)
    })
}

/// The flags of a program with their values; a flag without one is `true`.
fn flags(program: &Program) -> Arguments {
    let mut arguments = Arguments::default();
    let is_flag = |word: &str| {
        word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| !c.is_ascii_digit()))
    };
    let mut words = program.iter().peekable();
    while let Some(word) = words.next() {
        if !is_flag(word) {
            continue;
        }
        if let Some((name, value)) = word.split_once('=') {
            arguments.set(name, value);
        } else if let Some(value) = words.next_if(|next| !is_flag(next)) {
            arguments.set(word, value.as_str());
        } else {
            arguments.set(word, "true");
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in_once_and_by_their_whole_names() {
        let line = "for c in '$d$d' 2; do for d in '$c$c'; do vllm bench serve --num-prompts $c \
                    --x ${d}0 --seed $cc --y '$' --z ${c; done; done";
        let arguments = CommandLine::parse(line).unwrap().arguments_of(0);
        let found: Vec<_> = ["num_prompts", "x", "seed", "y", "z"].map(|n| arguments.get(n)).into();
        let expected = ["$d$d", "$c$c0", "$cc", "$", "${c"].map(Some);
        assert_eq!(found, expected);
    }

    #[test]
    fn loops_without_end_have_as_many_levels_as_can_be_counted() {
        let head = "for x in 1 2 3; do ".repeat(100);
        let command = CommandLine::parse(&format!("{head} vllm bench serve -n $x")).unwrap();
        assert!(command.levels() > 1 << 20);
        assert_eq!(command.arguments_of(usize::MAX).get("n").map(str::len), Some(1));
    }

    #[test]
    fn tools_are_known_by_how_they_are_called() {
        for (line, tool) in [
            ("vllm bench serve --model m", Some("vllm bench serve")),
            ("python3 benchmarks/benchmark_serving.py --x", Some("vllm bench serve")),
            ("env A=1 /opt/bin/aiperf profile -m x", Some("aiperf")),
            ("grep aiperf-log x", None),
            ("vllm serve m", None),
        ] {
            assert_eq!(CommandLine::parse(line).map(|c| c.tool()), tool, "{line}");
        }
    }

    #[test]
    fn a_negative_number_is_a_value_and_no_flag() {
        let c = CommandLine::parse("guidellm --rate -1 --quiet --max=3 -n 4").unwrap();
        let a = c.arguments_of(0);
        assert_eq!((a.number("rate"), a.get("quiet")), (Some(-1.0), Some("true")));
        assert_eq!((a.count("max"), a.count("n")), (Some(3), Some(4)));
        assert!(!c.hides_exit_status());
    }

    #[test]
    fn nested_loops_turn_like_a_shell_turns_them() {
        let line = "for m in a b; do for c in 1 2; do aiperf -m $m --concurrency ${c}; done; done";
        let command = CommandLine::parse(line).unwrap();
        let of = |i| {
            let a = command.arguments_of(i);
            format!("{}{}", a.get("m").unwrap_or(""), a.get("concurrency").unwrap_or(""))
        };
        assert_eq!((command.levels(), [0, 1, 2, 3].map(of).concat()), (4, "a1a2b1b2".to_owned()));
    }
}
