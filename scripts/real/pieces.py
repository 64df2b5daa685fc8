"""A Hugging Face tokenizer that cuts text as the simulated server does, for clients that bring text of their own.

A run of letters and digits is cut to at most four characters, every other character stands alone, and one space belongs
to what follows it. (The server cuts by bytes, which is the same for the letters of English.) Its vocabulary is what that
rule finds in the texts that the client ships, and words of its own, so that a prompt that the client measures has the
tokens that the server counts, but for where two pieces of text meet.
"""
import json
import re

PIECE = r" ?(?:[A-Za-z0-9]{1,4}|[^ A-Za-z0-9])| "


def pieces(folder, venv):
    """Writes the tokenizer into `folder`, with the texts that the client in `venv` makes prompts of."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {f" w{number}" for number in range(1000)}
    for text in venv.glob("lib/python*/site-packages/aiperf/dataset/generator/assets/*.txt"):
        found.update(re.findall(PIECE, text.read_text(encoding="utf-8", errors="ignore")))
    vocabulary = {piece: number for number, piece in enumerate(sorted(found))}
    vocabulary["[UNK]"] = len(vocabulary)
    unknown = {"id": vocabulary["[UNK]"], "content": "[UNK]", "special": True}
    flags = {key: False for key in ("single_word", "lstrip", "rstrip", "normalized")}
    split = {"type": "Split", "pattern": {"Regex": PIECE}, "behavior": "Isolated", "invert": False}
    whole = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [unknown | flags], "normalizer": None,
        "pre_tokenizer": split, "post_processor": None, "decoder": {"type": "Fuse"},
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }
    (folder / "tokenizer.json").write_text(json.dumps(whole))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]", "model_max_length": 100000}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
