"""What a model file says of itself, from files made here byte by byte; and that no bytes can crash the reader."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc.errors import ConfigError
from retrodoc.llm.gguf import read_model_file


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def gguf(*pairs: bytes, version: int = 3, count: int | None = None) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs) if count is None else count) + b"".join(pairs)


FACTS = (
    pair("general.architecture", 8, text("qwen2")),
    pair("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 2) + text("a") + text("bc")),
    pair("tokenizer.ggml.scores", 9, struct.pack("<IQ", 6, 3) + b"\0" * 12),
    pair("qwen2.context_length", 4, struct.pack("<I", 32768)),
    pair("general.name", 8, text("A model")),
    pair("general.license", 8, text("apache-2.0")),
    pair("general.size_label", 8, text("0.5B")),
    pair("tokenizer.chat_template", 8, text("{{ messages }}")),
)


def write(folder: Path, data: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(data)
    return path


def test_name_size_context_and_licence_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, gguf(*FACTS) + b"weights")
    file = read_model_file(path)
    assert (file.name, file.context, file.licence) == ("A model", 32768, "apache-2.0")
    assert (file.architecture, file.parameters, file.chat_template) == ("qwen2", "0.5B", True)
    assert file.size == path.stat().st_size


def test_what_the_file_does_not_say_is_none(tmp_path: Path) -> None:
    file = read_model_file(write(tmp_path, gguf()))
    assert (file.name, file.context, file.licence, file.chat_template) == (None, None, None, False)


@pytest.mark.parametrize(
    ("data", "flaw"),
    [
        (b"", "does not begin with GGUF"),
        (b"PK\x03\x04 a zip", "does not begin with GGUF"),
        (b"GGUF", "ends within its header"),
        (gguf(version=1), "format version is 1"),
        (gguf(*FACTS)[:60], "ends within its header"),
        (gguf(count=1 << 40), "claims"),
        (gguf(pair("k", 8, struct.pack("<Q", 1 << 60))), "string claims"),
        (gguf(pair("k", 9, struct.pack("<IQ", 4, 1 << 60))), "array claims"),
        (gguf(pair("k", 77, b"")), "unknown type 77"),
    ],
)
def test_a_file_that_is_no_model_is_an_error_that_names_it(data: bytes, flaw: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        read_model_file(write(tmp_path, data))
    assert flaw in raised.value.message
    assert "model.gguf" in raised.value.message


def test_no_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.gguf cannot be read"):
        read_model_file(tmp_path / "none.gguf")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_model_file(tmp_path)


@given(data=st.binary(max_size=300), start=st.integers(0, 24))
def test_any_bytes_are_a_model_file_or_a_clear_error(
    data: bytes, start: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = write(tmp_path_factory.mktemp("gguf"), gguf(*FACTS)[:start] + data)
    with contextlib.suppress(ConfigError):
        read_model_file(path)
