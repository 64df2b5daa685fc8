//! Which interface of a server is asked.

use std::fmt;
use std::str::FromStr;

use crate::{TransportError, TransportErrorKind};

/// Which interface of a server is asked.
///
/// # Examples
/// ```
/// use trueline_probe::Api;
///
/// assert_eq!("llama-cpp".parse::<Api>()?, Api::LlamaCpp);
/// assert_eq!(Api::OpenAiChat.to_string(), "openai-chat");
/// assert!("openai".parse::<Api>().is_err());
/// # Ok::<(), trueline_probe::TransportError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Api {
    /// `/v1/chat/completions` of OpenAI, as vLLM, SGLang, llama.cpp, mlx-lm and others serve it.
    OpenAiChat,
    /// `/v1/completions` of OpenAI.
    OpenAiCompletions,
    /// `/generate` of SGLang.
    Sglang,
    /// `/completion` of llama.cpp.
    LlamaCpp,
}

impl Api {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::OpenAiChat, Self::OpenAiCompletions, Self::Sglang, Self::LlamaCpp];

    /// Its name in arguments and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiCompletions => "openai-completions",
            Self::Sglang => "sglang",
            Self::LlamaCpp => "llama-cpp",
        }
    }

    /// The path that is asked below an endpoint's own path, which may hold the front of it already.
    ///
    /// # Formula
    /// Of `/v1/chat/completions`, what the endpoint's path ends in is not said again, be it `/v1` or all
    /// of it.
    pub(crate) fn path(self, prefix: &str) -> String {
        let path = match self {
            Self::OpenAiChat => "/v1/chat/completions",
            Self::OpenAiCompletions => "/v1/completions",
            Self::Sglang => "/generate",
            Self::LlamaCpp => "/completion",
        };
        let prefix = prefix.trim_end_matches('/');
        let said = if prefix.ends_with(path) {
            path
        } else if path.starts_with("/v1/") && prefix.ends_with("/v1") {
            "/v1"
        } else {
            ""
        };
        format!("{prefix}{}", path.strip_prefix(said).unwrap_or(path))
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Api {
    type Err = TransportError;

    fn from_str(text: &str) -> Result<Self, TransportError> {
        Self::ALL.into_iter().find(|api| api.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|api| api.name()).collect();
            TransportError::new(
                TransportErrorKind::Api,
                format!("expected an interface, one of {}; found {text:?}", names.join(", ")),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_said_once() {
        for (api, prefix, expected) in [
            (Api::OpenAiChat, "", "/v1/chat/completions"),
            (Api::OpenAiChat, "/v1", "/v1/chat/completions"),
            (Api::OpenAiChat, "/proxy/v1", "/proxy/v1/chat/completions"),
            (Api::OpenAiChat, "/v1/chat/completions", "/v1/chat/completions"),
            (Api::OpenAiCompletions, "/v1/", "/v1/completions"),
            (Api::OpenAiCompletions, "/v12", "/v12/v1/completions"),
            (Api::Sglang, "", "/generate"),
            (Api::LlamaCpp, "/a", "/a/completion"),
        ] {
            assert_eq!(api.path(prefix), expected, "{api} under {prefix:?}");
        }
    }

    #[test]
    fn every_name_is_read_back_and_others_are_refused_with_the_list() {
        for api in Api::ALL {
            assert_eq!(api.name().parse::<Api>().unwrap(), api);
        }
        let refused = "chat".parse::<Api>().unwrap_err().to_string();
        assert_eq!(
            refused,
            "expected an interface, one of openai-chat, openai-completions, sglang, llama-cpp; \
             found \"chat\""
        );
    }
}
