"""OpenWiki's claims (`openwiki/.claims/*.json`): one claim is one step, its evidence the citations.

Evidence names `repo://src/pay.ts#L40-L82`, with a hash of the cited text at the time: `ReadStep.hashes` keeps it, so
that text which changed since can be told without a commit to compare with.
"""

from __future__ import annotations

import json
import posixpath
import re
from typing import Any
from urllib.parse import unquote

from retrodoc_runs.readers.grammar import parse_anchor
from retrodoc_runs.readers.model import ReadError, Reading, ReadStep, Unparsed
from retrodoc_runs.steps import SourceRef, Step

MEND = 'Give OpenWiki claims: {"claims": [{"statement": …, "evidence": [{"resource": "repo://path#L1-L2"}]}]}.'
_VERSION = re.compile(r"repo-(?:lines|file)-v\d+:sha256:([0-9a-f]{64})(?::|\Z)")


def read_claims(text: str, page: str) -> Reading:
    """The claims of one file. Raises `ReadError`."""
    claims = _claims(text, page)
    slug = posixpath.splitext(page)[0].replace(".claims/", "")
    steps: list[ReadStep] = []
    unparsed: list[Unparsed] = []
    position = 0
    for order, claim in enumerate(claims, start=1):
        if not isinstance(claim, dict) or not isinstance(claim.get("statement"), str):
            raise ReadError(f"{page}: claim {order} has no `statement`", MEND)
        position = max(text.find('"statement"', position + 1), position)
        line = text.count("\n", 0, position) + 1
        refs, hashes, unread = _evidence(claim.get("evidence"), page, order, line)
        unparsed += unread
        if refs or not unread:
            step = Step(order=order, description=claim["statement"], source_refs=tuple(refs))
            steps.append(ReadStep(slug, step, page, line, hashes=tuple(hashes) if any(hashes) else ()))
    empty = () if steps else (slug,)
    return Reading("openwiki", tuple(steps), {}, empty, unparsed=tuple(unparsed), pages=(page,))


def _claims(text: str, page: str) -> list[Any]:
    try:
        data = json.loads(text)
    except RecursionError:
        raise ReadError(f"{page}: nested too deep", MEND) from None
    except ValueError as error:
        raise ReadError(f"{page}: not JSON: {error}", "Mend the file, or give another target.") from error
    claims = data.get("claims") if isinstance(data, dict) else None
    if not isinstance(claims, list):
        raise ReadError(f"{page}: no `claims`", MEND)
    return claims


def _evidence(
    evidence: object, page: str, order: int, line: int
) -> tuple[list[SourceRef], list[str | None], list[Unparsed]]:
    if evidence is None:
        evidence = []
    if not isinstance(evidence, list):
        raise ReadError(f"{page}: claim {order}: `evidence` is not a list", MEND)
    refs: list[SourceRef] = []
    hashes: list[str | None] = []
    unparsed: list[Unparsed] = []
    for item in evidence:
        resource = item.get("resource") if isinstance(item, dict) else item
        ref = _ref(resource) if isinstance(resource, str) else None
        if ref is None:
            unparsed.append(Unparsed(str(resource)[:400], line, page))
            continue
        version = item.get("version") if isinstance(item, dict) else None
        found = _VERSION.match(version) if isinstance(version, str) else None
        refs.append(ref)
        hashes.append(found[1] if found else None)
    return refs, hashes, unparsed


def _ref(resource: str) -> SourceRef | None:
    if not resource.startswith("repo://"):
        return None
    path, _, fragment = resource.removeprefix("repo://").partition("#")
    if not path:
        return None
    if not fragment:
        return SourceRef(path=unquote(path))
    lines = parse_anchor(fragment)
    return SourceRef(path=unquote(path), start_line=lines[0], end_line=lines[1]) if lines else None
