"""Whether a prompt file is well formed, and what text it gives: strict front matter, a typed input, fenced data.

A file is `---`, YAML front matter, `---`, the system text (the stable part, which providers cache), a line
`--- user ---`, the user text. Both are Jinja templates in a sandbox. Text that comes from a repository reaches the
model through the `fenced` filter or not at all: printing any plain string is an error.
"""

from __future__ import annotations

import hashlib
import re
import typing
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from retrodoc.errors import ConfigError
from retrodoc.prompts import models
from retrodoc.prompts.base import PromptInput, PromptOutput

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.runtime import Context
    from jinja2.sandbox import SandboxedEnvironment

In = TypeVar("In", bound=PromptInput)
Out = TypeVar("Out", bound=PromptOutput)

USER_MARK = "\n--- user ---\n"
SUFFIX = ".prompt"
LANGUAGES = {
    "en": "English", "fr": "French", "de": "German", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch",
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,39}")
_CHAT_TOKENS = re.compile(r"<([|｜])([^<>\n]{1,60}?)([|｜])>|<(start|end)_of_turn>|\[(/?)INST\]")
"""Tokens that chat templates use to mark turns. A local server reads them as such wherever they stand, so a comment
that holds one could open a turn of its own: they are shown spaced out."""


class Defaults(BaseModel):
    """How a pass asks with this prompt, unless settings say otherwise."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_tokens: int = Field(ge=16)
    typical_tokens: int = Field(ge=1)
    """Output tokens of a usual answer for each thing that it is about, for estimates."""
    repair_turns: int = Field(ge=0, le=10)
    temperature: float | None = Field(default=None, ge=0, le=2)
    meaning_errors: Literal["set-aside", "keep"] = "set-aside"
    """What becomes of an answer that is well formed but still says something false after the last repair turn: `keep`
    where a later check by code sees it anyway (the judge calls a wrong citation broken)."""


class FrontMatter(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z_]*$")
    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    description: str
    input: str
    output: str
    variables: dict[str, str]
    defaults: Defaults


@dataclass(frozen=True, slots=True)
class Rendered:
    system: str
    user: str


@dataclass(frozen=True)
class Prompt(Generic[In, Out]):
    """A typed call: `render` what goes out, `schema` of what must come back, `output` to read it with."""

    name: str
    version: str
    sha256: str
    """Of the file: another prompt makes another draft."""
    input: type[In]
    output: type[Out]
    defaults: Defaults
    system_template: str
    user_template: str

    @property
    def stamp(self) -> str:
        """`version sha256`, as a run records it."""
        return f"{self.version} {self.sha256}"

    def render(self, inputs: In) -> Rendered:
        """The texts for one call; the same input gives the same bytes."""
        if type(inputs) is not self.input:
            raise TypeError(f"{self.name} takes {self.input.__name__}, not {type(inputs).__name__}")
        values = {name: getattr(inputs, name) for name in _variables(self.input)}
        token = _token(f"{self.sha256}\n{inputs.steady()}", inputs.model_dump_json())
        texts = [
            _compiled(template).render(values, fence=_Safe(token)).strip() + "\n"
            for template in (self.system_template, self.user_template)
        ]
        return Rendered(*texts)

    def schema(self, inputs: In | None = None) -> dict[str, Any]:
        """JSON schema of the answer, in the subset that every structured-output service takes.

        With `inputs`, narrowed to the paths and numbers that this very answer may name.
        """
        schema = deepcopy(_schema(self.output))
        return schema if inputs is None else inputs.narrow(schema)


@overload
def load_prompt(name: Literal["domains"]) -> Prompt[models.DomainsIn, models.DomainsOut]: ...
@overload
def load_prompt(name: Literal["use_cases"]) -> Prompt[models.UseCasesIn, models.UseCasesOut]: ...
@overload
def load_prompt(name: Literal["judge"]) -> Prompt[models.JudgeIn, models.JudgeOut]: ...
@overload
def load_prompt(name: Literal["reread"]) -> Prompt[models.RereadIn, models.RereadOut]: ...
@overload
def load_prompt(name: Literal["pattern"]) -> Prompt[models.PatternIn, models.PatternOut]: ...
@overload
def load_prompt(name: str) -> Prompt[Any, Any]: ...
def load_prompt(name: str) -> Prompt[Any, Any]:
    """The prompt of that name. Raises ConfigError when the file is not well formed: it names the file and the flaw."""
    return _load(name)


@cache
def _load(name: str) -> Prompt[Any, Any]:
    source = files("retrodoc.prompts").joinpath(name + SUFFIX)
    if not source.is_file():
        raise ConfigError(f"there is no prompt {name!r}", f"There are: {', '.join(prompt_names())}.")
    return parse_prompt(source.read_bytes(), name + SUFFIX)


def prompt_names() -> tuple[str, ...]:
    """Every prompt in the box, sorted."""
    return tuple(
        sorted(f.name.removesuffix(SUFFIX) for f in files("retrodoc.prompts").iterdir() if f.name.endswith(SUFFIX))
    )


def parse_prompt(data: bytes, file: str) -> Prompt[Any, Any]:
    """Read a prompt file's bytes. Raises ConfigError with the file and the flaw."""
    text = data.decode("utf-8").replace("\r\n", "\n")
    front, system, user = _parts(text, file)
    head = _front_matter(front, file)
    if head.name + SUFFIX != file:
        raise ConfigError(f"{file}: its name is {head.name!r}, another than the file's")
    input_type = _model(head.input, PromptInput, file)
    output_type = _model(head.output, PromptOutput, file)
    _check_variables(head, input_type, (system, user), file)
    return Prompt(
        name=head.name,
        version=head.version,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        input=input_type,
        output=output_type,
        defaults=head.defaults,
        system_template=system,
        user_template=user,
    )


def _parts(text: str, file: str) -> tuple[str, str, str]:
    if not text.startswith("---\n") or "\n---\n" not in text[3:]:
        raise ConfigError(f"{file}: no front matter between two lines of ---")
    front, body = text[4:].split("\n---\n", 1)
    if body.count(USER_MARK) != 1:
        raise ConfigError(f"{file}: exactly one line '{USER_MARK.strip()}' must part the system text from the user's")
    system, user = body.split(USER_MARK)
    return front, system, user


def _front_matter(front: str, file: str) -> FrontMatter:
    import yaml

    try:
        return FrontMatter.model_validate(yaml.load(front, Loader=_strict_loader()))  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        raise ConfigError(f"{file}: front matter is not YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{file}: front matter: {path}: {first['msg']}") from error


@cache
def _strict_loader() -> type[Any]:
    """YAML's safe loader, in which a key that stands twice is an error."""
    import yaml

    class Strict(yaml.SafeLoader):
        pass

    def mapping(loader: Any, node: Any) -> dict[Any, Any]:
        keys = [loader.construct_object(key) for key, _ in node.value]
        twice = sorted({str(k) for k in keys if keys.count(k) > 1})
        if twice:
            raise yaml.YAMLError(f"key {twice[0]!r} stands twice")
        return {
            key: loader.construct_object(value, deep=True) for key, (_, value) in zip(keys, node.value, strict=True)
        }

    Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    return Strict


def _model(name: str, base: type[Any], file: str) -> type[Any]:
    found = getattr(models, name, None)
    if not (isinstance(found, type) and issubclass(found, base) and found is not base):
        raise ConfigError(f"{file}: {name!r} is no {base.__name__} of retrodoc.prompts.models")
    return found


def _variables(input_type: type[PromptInput]) -> dict[str, str]:
    """Template variables of an input and the name of each one's type; what is excluded from its JSON is not shown."""
    hints = typing.get_type_hints(input_type)
    return {n: _type_name(hints[n]) for n, f in input_type.model_fields.items() if not f.exclude}


def _type_name(hint: Any) -> str:
    if typing.get_origin(hint) is tuple:
        return f"list[{_type_name(typing.get_args(hint)[0])}]"
    return str(getattr(hint, "__name__", hint))


def _check_variables(head: FrontMatter, input_type: type[PromptInput], templates: Iterable[str], file: str) -> None:
    from jinja2 import TemplateSyntaxError, meta

    used: set[str] = set()
    for template in templates:
        try:
            used |= meta.find_undeclared_variables(_environment().parse(template))
        except TemplateSyntaxError as error:
            raise ConfigError(f"{file}: template, line {error.lineno}: {error.message}") from error
    used.discard("fence")
    declared, typed = head.variables, _variables(input_type)
    for what, names in (
        ("used in the template but not declared", used - set(declared)),
        ("declared but not used in the template", set(declared) - used),
        (f"declared but not in {head.input}", set(declared) - set(typed)),
        (f"in {head.input} but not declared", set(typed) - set(declared)),
        (f"declared with another type than in {head.input}", {n for n in declared if typed.get(n) != declared[n]}),
    ):
        if names:
            raise ConfigError(f"{file}: {what}: {', '.join(sorted(names))}")


# --- rendering -----------------------------------------------------------------------------------------------------


class _Safe(str):
    """Text that is ours, or that is fenced."""

    __slots__ = ()


@cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined, pass_context
    from jinja2.filters import do_map
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        finalize=_only_safe,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        autoescape=False,
    )

    @pass_context
    def fenced(context: Context, value: Any, label: str) -> _Safe:
        return _fence(value, label, str(context["fence"]))

    environment.filters = {"fenced": fenced, "language": _language, "length": len, "map": do_map}
    environment.globals = {}
    return environment


@cache
def _compiled(template: str) -> Template:
    return _environment().from_string(template)


def _only_safe(value: Any) -> Any:
    from jinja2 import Undefined

    if isinstance(value, (_Safe, int, float, Undefined)):
        return value
    raise ConfigError("a template prints text that is not fenced", "Use {{ value | fenced('label') }}")


def _token(seed: str, everything: str) -> str:
    """A mark that stands nowhere in what will be fenced: derived, so that the same question gives the same bytes, and
    derived again should somebody have foreseen it."""
    for number in count():
        token = hashlib.sha256(f"{number}\n{seed}".encode()).hexdigest()[:20]
        if token not in everything:
            return token
    raise AssertionError("count() does not end")


def _fence(value: Any, label: str, token: str) -> _Safe:
    """`value` (a string, or several: one a line) between markers that nobody who wrote it could know."""
    text = value if isinstance(value, str) else "\n".join(str(item) for item in value)
    text = _CHAT_TOKENS.sub(_spaced, text)
    if token in text:
        raise ConfigError("repository text contains its own fence", "Report this: it should be impossible.")
    return _Safe(f"<<<DATA {token} {label}\n{text}\n{token} DATA>>>")


def _spaced(found: re.Match[str]) -> str:
    return found[0].replace("<", "< ").replace(">", " >").replace("[", "[ ").replace("]", " ]")


def _language(code: str) -> _Safe:
    """The language's English name, for an instruction. Settings say it, and a repository may say its settings."""
    base, _, region = code.partition("-")
    if base.lower() in LANGUAGES and re.fullmatch(r"[A-Z]{0,2}", region):
        return _Safe(LANGUAGES[base.lower()] + (f" ({region})" if region else ""))
    if not _WORD.fullmatch(code):
        raise ConfigError(f"language {code!r} is no language", "Use a code such as en or fr, or an English name.")
    return _Safe(code)


# --- schema --------------------------------------------------------------------------------------------------------

_DROPPED = ("title", "default", "description", "minLength", "minimum", "maximum", "pattern", "format")
"""Schema keywords that some structured-output service refuses; the same rules are checked after the answer."""


@cache
def _schema(output: type[PromptOutput]) -> dict[str, Any]:
    cleaned = _strict(output.model_json_schema())
    assert isinstance(cleaned, dict)
    return cleaned


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    cleaned = {key: _strict(value) for key, value in node.items() if key not in _DROPPED or isinstance(value, dict)}
    if isinstance(cleaned.get("properties"), dict):
        cleaned["required"] = list(cleaned["properties"])
        cleaned["additionalProperties"] = False
    return cleaned
