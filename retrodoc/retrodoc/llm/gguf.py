"""What a model file says of itself: name, size, context, licence. Reads the header alone, never the weights."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from retrodoc.errors import ConfigError

MAGIC = b"GGUF"
MAX_KEYS = 10_000
MAX_STRING = 16 * 1024 * 1024
MAX_ITEMS = 10_000_000
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True, slots=True)
class ModelFile:
    """`context` in tokens, `size` in bytes; None where the file does not say."""

    path: Path
    size: int
    name: str | None
    architecture: str | None
    context: int | None
    licence: str | None
    parameters: str | None
    """Such as `0.5B`."""
    chat_template: bool


def read_model_file(path: Path) -> ModelFile:
    """Read a GGUF header. Raises ConfigError that names the file and what is wrong with it."""
    try:
        with path.open("rb") as file:
            facts = _header(file)
    except OSError as error:
        raise ConfigError(
            f"model file {path} cannot be read: {error.strerror}", "Give the path of a GGUF file."
        ) from error
    except (struct.error, ValueError, UnicodeDecodeError, MemoryError) as error:
        raise ConfigError(f"{path} is no GGUF model file: {error}", "Give the path of a GGUF file.") from error
    architecture = _text(facts.get("general.architecture"))
    context = facts.get(f"{architecture}.context_length")
    return ModelFile(
        path=path,
        size=path.stat().st_size,
        name=_text(facts.get("general.name")) or _text(facts.get("general.basename")),
        architecture=architecture,
        context=context if isinstance(context, int) and context > 0 else None,
        licence=_text(facts.get("general.license")) or _text(facts.get("general.license.name")),
        parameters=_text(facts.get("general.size_label")),
        chat_template="tokenizer.chat_template" in facts,
    )


def _header(file: BinaryIO) -> dict[str, Any]:
    if file.read(4) != MAGIC:
        raise ValueError("it does not begin with GGUF")
    (version,) = _unpack(file, "<I")
    if version not in (2, 3):
        raise ValueError(f"its format version is {version}, not 2 or 3")
    _, keys = _unpack(file, "<QQ")
    if keys > MAX_KEYS:
        raise ValueError(f"it claims {keys} keys")
    facts: dict[str, Any] = {}
    for _ in range(keys):
        key = _string(file)
        (kind,) = _unpack(file, "<I")
        facts[key] = _value(file, kind)
    return facts


def _value(file: BinaryIO, kind: int) -> Any:
    if kind in _SCALARS:
        return _unpack(file, _SCALARS[kind])[0]
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        raise ValueError(f"a value has the unknown type {kind}")
    item, count = _unpack(file, "<IQ")
    if count > MAX_ITEMS or item == _ARRAY:
        raise ValueError(f"an array claims {count} items")
    if item == _STRING:
        for _ in range(count):
            file.seek(_length(file), 1)
    elif item in _SCALARS:
        file.seek(count * struct.calcsize(_SCALARS[item]), 1)
    else:
        raise ValueError(f"an array holds the unknown type {item}")
    return None  # vocabularies: nothing here asks for them


def _string(file: BinaryIO) -> str:
    return _exactly(file, _length(file)).decode("utf-8")


def _length(file: BinaryIO) -> int:
    (length,) = _unpack(file, "<Q")
    if length > MAX_STRING:
        raise ValueError(f"a string claims {length} bytes")
    return int(length)


def _unpack(file: BinaryIO, form: str) -> tuple[Any, ...]:
    return struct.unpack(form, _exactly(file, struct.calcsize(form)))


def _exactly(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise ValueError("it ends within its header")
    return data


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
