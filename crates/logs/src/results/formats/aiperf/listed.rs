//! What the metrics of AIPerf or genai-perf mean, listed by their keys or by their printed names.

use trueline_core::TokensBy;

use super::field::Field;
use super::stated::{ANSWERED, FAILED};
use crate::results::meaning::{AS_STATED, Meanings, Statistics};
use crate::results::row::Takes;

/// Lists metrics by their keys in JSON.
pub(in crate::results::formats) fn by_key(list: &mut Meanings, fields: &[Field]) {
    listed(list, fields, |field| field.tag.to_owned());
}

/// Lists metrics by their names in CSV and on the console.
pub(in crate::results::formats) fn by_name(list: &mut Meanings, fields: &[Field]) {
    listed(list, fields, |field| format!("{} (UNIT)", field.name));
}

/// Lists what the figures become that rest on the tool's own count of tokens, where the user asks
/// for the server's.
pub(super) fn counted_by_server(list: &mut Meanings, fields: &[Field]) {
    for field in fields {
        let (statistics, key) = match field.takes {
            Takes::Spread(..) => (Statistics::Any, format!("{}.STATISTIC", field.tag)),
            _ => (Statistics::None, field.tag.to_owned()),
        };
        let (Takes::Run(metric, meaning) | Takes::Spread(metric, meaning)) = field.takes else {
            continue;
        };
        if meaning.tokens_by == TokensBy::Tool {
            let meaning = meaning.tokens_by(TokensBy::Server);
            let listed = list.figure(key, (metric, 1.0, meaning), statistics);
            listed.only("with `use_server_token_count`").unit = AS_STATED;
        }
    }
}

fn listed(list: &mut Meanings, fields: &[Field], key: fn(&Field) -> String) {
    for field in fields {
        let key = key(field);
        match field.takes {
            Takes::Spread(metric, meaning) => {
                let key = format!("{key}.STATISTIC");
                list.figure(key, (metric, 1.0, meaning), Statistics::Any).unit = AS_STATED;
            }
            Takes::Run(metric, meaning) => {
                list.figure(key.clone(), (metric, 1.0, meaning), Statistics::None).unit = AS_STATED;
                if let Some((metric, meaning)) = field.largest {
                    let listed = list.figure(key, (metric, 1.0, meaning), Statistics::None);
                    listed.only("its largest value").unit = AS_STATED;
                }
            }
            Takes::Total(total) => {
                list.total(key.clone(), total);
                if let Some(own) = field.counts.own() {
                    list.total(key, own).only("where the server counted the same tokens");
                }
            }
            _ => {}
        }
    }
    list.totals(&[ANSWERED, FAILED]);
}
