"""Where runs are kept, and what a crash, a full disk or a second process can do to them: nothing.

    <folder>/<id>/run.json       the run, replaced as a whole
    <folder>/<id>/units.jsonl    what was added since, one line a save; folded in when loading, gone when complete
    <folder>/<id>/calls.jsonl    one line a model call
    <folder>/.lock               held by the process that writes

adr/0008 says why a save does not rewrite run.json.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from retrodoc_runs.errors import RunReadError, RunWriteError
from retrodoc_runs.files import JsonLines, read_own, sweep_temporaries, sync_folder, write_atomic
from retrodoc_runs.locks import hold_lock
from retrodoc_runs.models import FORMAT_VERSION, Run

COMPACT_BYTES = 1_000_000
"""A journal this large, and larger than run.json, is folded in: all saves together write a few times the run."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
_UTC_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-]00:?00)\Z")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of `retrodoc runs list`. `problem` says why the rest is empty: the run could not be read."""

    id: str
    created_at: str = ""
    commit: str | None = None
    drafter: str = ""
    complete: bool = False
    use_cases: int = 0
    problem: str = ""


class RunStore:
    """Runs in one folder, `.retrodoc/runs` or what `--runs` names. Nothing is created before the first save."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._saved: dict[str, Run] = {}
        """What is on disk of each run that this object saved or loaded."""
        self._journals: dict[str, _Journal] = {}
        self._calls: dict[str, JsonLines] = {}

    def new_id(self, created_at: str) -> str:
        """An id that no run here has, for a run begun at `created_at` (UTC, ISO 8601); ids sort by that time."""
        if not (moment := _UTC_TIME.match(created_at)):
            raise ValueError(f"not a time in UTC: {created_at!r}")
        first = "{}{}{}T{}{}{}Z".format(*moment.groups())
        number = 1
        run_id = first
        while self.run_folder(run_id).exists():
            number += 1
            run_id = f"{first}-{number:03}"
        return run_id

    def run_folder(self, run_id: str) -> Path:
        """Where a run is kept. RunReadError for what is no id, such as a path that leaves the folder."""
        if not _ID.match(run_id):
            raise RunReadError(f"{run_id!r} is not the id of a run", "See `retrodoc runs list`.")
        return self.folder / run_id

    def save(self, run: Run, *, durable: bool = True) -> None:
        """Keep the run as it now is. Cheap when little was added to what this object saved or loaded before.

        A run that did not change writes nothing. `durable` waits until the disk has it: a killed process loses
        nothing in either case, a power cut may lose what was saved without. RunWriteError when it cannot be
        written: what was saved before is intact.
        """
        before = self._saved.get(run.id)
        if before == run:
            return
        folder = self._make(run.id)
        journal = self._journals.get(run.id)
        if before is None or journal is None or run.complete or journal.is_large():
            self._write_whole(run, folder, durable=durable)
        else:
            journal.add(before, run, durable=durable)
        self._saved[run.id] = run

    def load(self, run_id: str) -> Run:
        """The run as it was last saved. RunReadError: missing, damaged, or from a newer program."""
        folder = self.run_folder(run_id)
        lines = JsonLines(folder / "units.jsonl")
        additions = lines.read()  # before run.json, or a save in between could look like lost units
        data = read_own(folder / "run.json")
        if data is None:
            raise RunReadError(f"there is no run {run_id} in {self.folder}", "See `retrodoc runs list`.")
        run, journal = _fold(folder / "run.json", data, additions, lines)
        if run.id != run_id:
            raise RunReadError(
                f"{folder / 'run.json'} says that it is run {run.id}", f"Rename its folder to {run.id}, or restore it."
            )
        self._saved[run_id] = run
        self._journals[run_id] = journal
        return run

    def ids(self) -> tuple[str, ...]:
        """Ids of all runs here, oldest first, damaged ones included."""
        if not self.folder.is_dir():
            return ()
        return tuple(
            sorted(
                entry.name
                for entry in self.folder.iterdir()
                if _ID.match(entry.name) and not entry.is_symlink() and (entry / "run.json").exists()
            )
        )

    def latest(self) -> str | None:
        """Id of the newest run, complete or not; None when there is none."""
        return max(self.ids(), default=None)

    def list(self) -> tuple[RunSummary, ...]:
        """One summary a run, oldest first; a run that cannot be read is listed with its problem."""
        return tuple(self._summary(run_id) for run_id in self.ids())

    def _summary(self, run_id: str) -> RunSummary:
        try:
            run = RunStore(self.folder).load(run_id)
        except RunReadError as error:
            return RunSummary(run_id, problem=error.message)
        return RunSummary(run_id, run.created_at, run.commit, run.drafter, run.complete, len(run.use_cases))

    def append_call(self, run_id: str, record: Mapping[str, Any], *, durable: bool = True) -> None:
        """Note one model call, at once. Values that JSON has not (a Decimal) are kept as text."""
        folder = self._make(run_id)
        if run_id not in self._calls:
            self._calls[run_id] = JsonLines(folder / "calls.jsonl")
        self._calls[run_id].append_record(record, durable=durable)

    def read_calls(self, run_id: str) -> tuple[dict[str, Any], ...]:
        """Every noted call, in order; a line that a crash cut short is left out."""
        return tuple(JsonLines(self.run_folder(run_id) / "calls.jsonl").read())

    def lock(self) -> contextlib.AbstractContextManager[None]:
        """Hold while writing runs here. RunLockedError, with the other's process id, when another process does."""
        return self._locked()

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self._make_store()
        with hold_lock(self.folder / ".lock"):
            yield

    def _write_whole(self, run: Run, folder: Path, *, durable: bool) -> None:
        data = run.model_dump_json(indent=1).encode() + b"\n"
        sweep_temporaries(folder / "run.json")
        write_atomic(folder / "run.json", data, durable=durable)
        lines = JsonLines(folder / "units.jsonl")
        lines.delete()  # a crash before this leaves a journal of another run.json, which loading ignores
        self._journals[run.id] = _Journal(lines, hashlib.sha256(data).hexdigest(), len(data))

    def _make(self, run_id: str) -> Path:
        folder = self.run_folder(run_id)
        if not folder.is_dir() or folder.is_symlink():
            self._make_store()
            _make_folder(folder)
        return folder

    def _make_store(self) -> None:
        own = self.folder.parent.name == ".retrodoc"
        if own:
            _make_folder(self.folder.parent)
            ignore = self.folder.parent / ".gitignore"
            if not ignore.exists() and not ignore.is_symlink():
                write_atomic(ignore, b"# Written by RetroDoc: runs are not part of the repository.\n*\n", durable=False)
        _make_folder(self.folder, may_be_link=not own)


class _Journal:
    """What was added since run.json was written. Its lines name that run.json by hash: to another they mean nothing."""

    def __init__(self, lines: JsonLines, base: str, base_bytes: int) -> None:
        self._lines = lines
        self._base = base
        self._base_bytes = base_bytes

    def is_large(self) -> bool:
        return self._lines.size() > max(COMPACT_BYTES, self._base_bytes)

    def add(self, before: Run, after: Run, *, durable: bool) -> None:
        """Append what differs: of a tuple that grew its new items, of anything else the whole field."""
        starts: dict[str, int] = {}
        changed: dict[str, Any] = {}
        for name in Run.model_fields:
            old, new = getattr(before, name), getattr(after, name)
            if old is new or old == new:
                continue
            if isinstance(new, tuple):
                starts[name] = len(old) if new[: len(old)] == old else 0
                changed[name] = new[starts[name] :]
            else:
                changed[name] = new
        fields = after.model_copy(update=changed).model_dump_json(include=set(changed))
        head = json.dumps({"base": self._base, "from": starts}, separators=(",", ":"))
        self._lines.append(f'{head[:-1]},"fields":{fields}}}'.encode(), durable=durable)


def _fold(path: Path, data: bytes, additions: list[dict[str, Any]], lines: JsonLines) -> tuple[Run, _Journal]:
    base = hashlib.sha256(data).hexdigest() if additions else ""
    own = [line for line in additions if line.get("base") == base]
    if not own:
        run = _parse(path, data)
        return run, _Journal(lines, base or hashlib.sha256(data).hexdigest(), len(data))
    try:
        whole = json.loads(data)
        for line in own:
            for name, value in line["fields"].items():
                start = line["from"].get(name)
                whole[name] = value if start is None else whole[name][:start] + value
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(path.with_name("units.jsonl"), f"{type(error).__name__}") from error
    return _parse(path, json.dumps(whole).encode("ascii")), _Journal(lines, base, len(data))


def _parse(path: Path, data: bytes) -> Run:
    try:
        with _collector_paused():
            run = Run.model_validate_json(data)
    except ValidationError as error:
        version = _version_of(data)
        if version is not None and version > FORMAT_VERSION:
            raise _newer(path, version) from None
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _damaged(path, f"{place}: {first['msg']}" if place else first["msg"]) from None
    if run.format_version > FORMAT_VERSION:
        raise _newer(path, run.format_version)
    return run


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """The models hold no cycles, and walking them again and again took three quarters of a large run's loading."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _version_of(data: bytes) -> int | None:
    try:
        value = json.loads(data).get("format_version")
    except (ValueError, RecursionError, AttributeError):
        return None
    return value if isinstance(value, int) else None


def _newer(path: Path, version: int) -> RunReadError:
    return RunReadError(
        f"{path} was written by a newer RetroDoc (format {version}, this one reads up to {FORMAT_VERSION})",
        "Upgrade RetroDoc, or draft again with `retrodoc generate --force`.",
    )


def _damaged(path: Path, reason: str) -> RunReadError:
    return RunReadError(
        f"{path} is damaged: {reason}", "Restore the file, or draft again with `retrodoc generate --force`."
    )


def _make_folder(folder: Path, *, may_be_link: bool = False) -> None:
    """A link in place of our folder could make us write anywhere: a repository may bring one."""
    if folder.is_symlink() and not may_be_link:
        raise RunWriteError(f"{folder} is a symbolic link, and runs are not written through one", "Remove the link.")
    if folder.exists() and not folder.is_dir():
        raise RunWriteError(f"{folder} is not a folder", "Move it away, or name another folder with --runs.")
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            sync_folder(folder.parent)
    except OSError as error:
        raise RunWriteError(
            f"{folder} could not be made: {error.strerror or error}",
            "Free some space or mend the permissions, or name another folder with --runs.",
        ) from error
