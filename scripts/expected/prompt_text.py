"""Prints texts that the probe sends, and lines that its ruler learns, worked out by other code.

    python3 scripts/expected/prompt_text.py crates/probe/src/prompt/words.rs

The list of words is data and is read from the source; all else is written out here: ChaCha with 8
rounds, the hash of a name, the numbering of texts, weighted least squares in fractions. Tests of
`crates/probe/src/prompt` quote what it prints.
"""

import itertools
import re
import struct
import sys
from fractions import Fraction

MASK = 0xFFFFFFFF
WHOLE = 0xFFFFFFFFFFFFFFFF


def block(key, counter):
    """One block of ChaCha with 8 rounds, nonce zero."""
    start = list(struct.unpack("<4I", b"expand 32-byte k")) + list(struct.unpack("<8I", key))
    start += [counter & MASK, counter >> 32, 0, 0]
    words = start[:]

    def quarter(a, b, c, d):
        for first, second, third, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            words[first] = (words[first] + words[second]) & MASK
            mixed = words[third] ^ words[first]
            words[third] = ((mixed << by) | (mixed >> (32 - by))) & MASK

    for _ in range(4):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((a + b) & MASK for a, b in zip(start, words)))


def key_stream(*parts):
    for counter in itertools.count():
        yield from block(struct.pack("<4Q", *parts), counter)


def named(name):
    """Fowler, Noll and Vo's hash, 64 bits, variant 1a."""
    hashed = 0xCBF29CE484222325
    for byte in name.encode():
        hashed = ((hashed ^ byte) * 0x100000001B3) & WHOLE
    return hashed


def text(vocabulary, seed, name, stream, number, words):
    name = named(name)
    key = bytes(itertools.islice(key_stream(seed, name ^ WHOLE, stream, 0), 8))
    own = (number * 0x9E3779B97F4A7C15 + int.from_bytes(key, "little")) & WHOLE
    drawn = itertools.chain(own.to_bytes(8, "little"), key_stream(seed, name, stream, number))
    return " ".join(vocabulary[byte] for byte in itertools.islice(drawn, words))


def line(pairs):
    """Overhead, tokens a word, residual variance of a word; each pair weighs 1 / words."""
    pairs = [(Fraction(w), Fraction(t)) for w, t in pairs]
    n, s0, s2 = len(pairs), sum(1 / w for w, _ in pairs), sum(w for w, _ in pairs)
    t0, t1 = sum(t / w for w, t in pairs), sum(t for _, t in pairs)
    d = s0 * s2 - n * n
    overhead, per_word = (t0 * s2 - n * t1) / d, (s0 * t1 - n * t0) / d
    squares = sum((t - overhead - per_word * w) ** 2 / w for w, t in pairs)
    variance = squares / (n - 2)
    error = lambda w: float(variance * (w + (s2 - 2 * n * w + s0 * w * w) / d)) ** 0.5
    return float(overhead), float(per_word), float(variance), error


def main():
    vocabulary = re.findall(r'"([a-z]{2,4})",', open(sys.argv[1]).read())
    assert len(vocabulary) == 256
    print(text(vocabulary, 7, "cold", 3, 5, 20))
    print(text(vocabulary, 2**64 - 1, "replay", 0, 2**40 + 1, 20))
    overhead, per_word, variance, error = line([(1, 3), (2, 5), (4, 8)])
    print(overhead, per_word, variance, error(4), error(2))
    counted = [(1000, 1163), (500, 590), (250, 311), (1000, 1170), (500, 597), (250, 306)]
    overhead, per_word, variance, error = line(counted)
    print(overhead, per_word, variance, error(1000), error(20000))


main()
