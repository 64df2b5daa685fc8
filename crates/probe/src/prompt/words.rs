//! The words that texts are made of.

/// Short common words of English, none longer than four letters: with the space before it each is one
/// token in the vocabularies of most models. In order of the alphabet, one for each value of a byte.
#[rustfmt::skip]
pub(super) const WORDS: [&str; 256] = [
    "all", "also", "and", "are", "area", "away", "back", "base", "been", "best", "body", "book",
    "both", "but", "call", "can", "care", "case", "city", "come", "cost", "data", "day", "deal",
    "did", "door", "down", "draw", "each", "east", "easy", "even", "ever", "face", "fact", "fall",
    "fast", "feel", "feet", "fill", "find", "fine", "fire", "food", "foot", "for", "form", "four",
    "free", "from", "full", "game", "get", "girl", "give", "gold", "gone", "good", "grow", "had",
    "half", "hand", "hard", "has", "have", "head", "hear", "heat", "help", "her", "here", "high",
    "him", "his", "hold", "home", "hope", "hour", "how", "idea", "into", "its", "join", "just",
    "keep", "kind", "king", "know", "land", "last", "late", "lead", "left", "less", "let", "life",
    "like", "line", "list", "live", "long", "look", "lost", "love", "made", "main", "make", "man",
    "many", "map", "mark", "mean", "meet", "mind", "more", "most", "move", "much", "must", "name",
    "near", "need", "new", "next", "not", "note", "now", "old", "once", "one", "only", "open",
    "our", "out", "over", "page", "pair", "part", "past", "path", "plan", "play", "poor", "pull",
    "put", "race", "rain", "read", "real", "rest", "rich", "ride", "ring", "rise", "road", "rock",
    "role", "roll", "room", "rule", "safe", "salt", "same", "sand", "save", "say", "sea", "seat",
    "see", "seed", "seem", "self", "sell", "send", "sent", "she", "ship", "shop", "show", "side",
    "sing", "size", "skin", "sky", "slow", "snow", "soft", "soil", "some", "song", "soon", "sort",
    "star", "stay", "step", "stop", "such", "sure", "take", "talk", "tall", "team", "tell",
    "test", "than", "that", "the", "them", "then", "they", "this", "time", "too", "tree", "trip",
    "true", "turn", "two", "type", "unit", "upon", "use", "very", "view", "wait", "walk", "wall",
    "want", "war", "warm", "was", "wash", "wave", "way", "wear", "week", "well", "were", "west",
    "what", "when", "who", "wide", "wild", "will", "wind", "wing", "wish", "with", "wood", "word",
    "work", "year", "yes", "you", "your",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_words_are_short_lower_case_and_all_different() {
        let short = |word: &&str| {
            (2..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        assert!(WORDS.iter().all(short));
        assert_eq!(WORDS.iter().collect::<BTreeSet<_>>().len(), 256);
    }
}
