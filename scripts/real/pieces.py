"""Hugging Face tokenizers that cut text as the simulated server does, for clients that count for themselves.

The server's rule: a run of letters and digits is cut to at most four characters, every other character stands alone, and
one space belongs to what follows it. (It cuts by bytes, which is the same for the letters of English.)
"""
import json
import re

PIECE = r" ?(?:[A-Za-z0-9]{1,4}|[^ A-Za-z0-9])| "


def words(folder):
    """A vocabulary of a thousand words of a token each, for clients that make prompts of a vocabulary.

    None of them is special, so that a prompt of random numbers has no token that the server counts otherwise.
    """
    model = {"vocab": {f"w{number}": number for number in range(1000)}, "unk_token": "w0"}
    write(folder, model, {"type": "WhitespaceSplit"}, None)


def pieces(folder, venv):
    """The server's rule, for clients that make prompts of a text of their own.

    The vocabulary is what the rule finds in the texts that the client in `venv` ships, so that a prompt has the tokens
    that the server counts, but for where two pieces of text meet.
    """
    found = {f" w{number}" for number in range(1000)}
    for text in venv.glob("lib/python*/site-packages/aiperf/dataset/generator/assets/*.txt"):
        found.update(re.findall(PIECE, text.read_text(encoding="utf-8", errors="ignore")))
    vocabulary = {piece: number for number, piece in enumerate(sorted(found))}
    split = {"type": "Split", "pattern": {"Regex": PIECE}, "behavior": "Isolated", "invert": False}
    write(folder, {"vocab": vocabulary, "unk_token": " w0"}, split, {"type": "Fuse"})


def write(folder, model, cut, joined):
    folder.mkdir(parents=True, exist_ok=True)
    whole = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": cut, "post_processor": None, "decoder": joined, "model": {"type": "WordLevel", **model},
    }
    (folder / "tokenizer.json").write_text(json.dumps(whole))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 100000}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
