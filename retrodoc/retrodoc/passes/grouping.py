"""Which feature and domain an entry point belongs to, by where its code lives and which resource it serves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from retrodoc.passes.words import singular, slug_of, title, words_of
from retrodoc_runs.models import Domain, EntryPoint, Feature

# Folder and file names that say how code is arranged, not what it is about.
_ARRANGEMENT = frozenset(
    """
    app apps src lib libs server backend frontend core main index init mod api rest web http views view controllers
    controller handlers handler routes route router routers urls endpoints endpoint management commands command cmd
    cli bin jobs job tasks task workers worker signals receivers models model services service operations ops packages
    package modules module internal python ruby rails admin_urls public config conf plugin plugins utils util common
    helpers shared base v1 v2 v3 tests test usr share js ts
    """.split()
)
# In a route, `tasks` or `services` is what it is about: only these are not.
_ROUTE_ARRANGEMENT = re.compile(r"api|rest|web|http|public|internal|index|v\d+", re.IGNORECASE)
_ROUTER_MARK = re.compile(r"^@|[()\[\]]")
"""In a folder's name: parameters, groups and slots of a router that goes by folders."""
_STEM_SUFFIX = re.compile(
    r"[_.-]?(?:controller|views?|handlers?|routes?|router|urls|tasks?|jobs?|worker)$", re.IGNORECASE
)
_KIND_FEATURES = {"cli": "commands", "job": "jobs", "event": "events", "page": "pages", "public-api": "library"}
MANY_SINGLE_DOMAINS = 16
"""More domains of one feature than this are gathered by the first word of their names: a table of contents of sixty
chapters of one page each helps nobody."""


@dataclass(frozen=True, slots=True)
class Group:
    """A feature, its domain, and the entry points in it, in order."""

    domain: Domain
    feature: Feature
    entry_points: tuple[EntryPoint, ...]


def group(entry_points: Sequence[EntryPoint], application: str) -> list[Group]:
    """Groups every entry point exactly once; the order is that of the first entry point in each."""
    parts = [_parts(entry) for entry in entry_points]
    shared = _shared_prefix([part for part in parts if part])
    placed = [_place(entry, part[shared:], application) for entry, part in zip(entry_points, parts, strict=True)]
    placed = _gather_single_domains(placed)
    groups: dict[tuple[str, str], list[EntryPoint]] = {}
    for entry, names in zip(entry_points, placed, strict=True):
        groups.setdefault(names, []).append(entry)
    return _numbered(groups)


def _parts(entry: EntryPoint) -> list[str]:
    """The telling parts of the path of its code, folder by folder, the file's stem last."""
    path = entry.handler.path or (entry.declared.path if entry.declared else None)
    if path is None:
        return []
    pure = PurePosixPath(path)
    stem = _STEM_SUFFIX.sub("", pure.stem)
    folders = [part for part in pure.parent.parts if part not in (".", "") and not _ROUTER_MARK.search(part)]
    if stem == "page" and pure.suffix in (".js", ".jsx", ".ts", ".tsx"):  # of Next.js: its folder is what it is called
        stem = ""
    return [part for part in [*folders, stem] if part.strip("_").lower() not in _ARRANGEMENT and part.strip("_")]


def _shared_prefix(parts: list[list[str]]) -> int:
    if len(parts) < 2:
        return 0
    length = 0
    for column in zip(*parts, strict=False):
        if len(set(column)) > 1:
            break
        length += 1
    return length


def _resource(entry: EntryPoint) -> str | None:
    """The first segment of a route that is a word: `/api/v1/orders/<id>` is about orders."""
    if entry.kind != "http" or entry.path is None:
        return None
    for segment in re.split(r"/+", entry.path):
        word = segment.strip("^$")
        if re.fullmatch(r"[A-Za-z][\w-]*", word) and not _ROUTE_ARRANGEMENT.fullmatch(word):
            return word
    return None


def _place(entry: EntryPoint, parts: list[str], application: str) -> tuple[str, str]:
    kind_feature = _KIND_FEATURES.get(entry.kind)
    if entry.kind in ("cli", "job") and parts:
        parts = parts[:-1]  # its file is named after the command or job itself
    if len(parts) >= 2:
        return parts[0], parts[1] if kind_feature is None else f"{parts[0]} {kind_feature}"
    if len(parts) == 1:
        return parts[0], parts[0] if kind_feature is None else f"{parts[0]} {kind_feature}"
    resource = _resource(entry)
    if resource is not None:
        return resource, resource
    return application, kind_feature or application


def _gather_single_domains(placed: list[tuple[str, str]]) -> list[tuple[str, str]]:
    features = {domain: {feature for d, feature in placed if d == domain} for domain, _ in placed}
    single = [domain for domain, inside in features.items() if len(inside) == 1]
    if len(single) <= MANY_SINGLE_DOMAINS:
        return placed
    first_words = Counter(singular(words_of(domain)[0]) for domain in features)
    renamed = {}
    for domain in single:
        word = singular(words_of(domain)[0])
        renamed[domain] = word if first_words[word] > 1 else "general"
    return [(renamed.get(domain, domain), feature) for domain, feature in placed]


def _numbered(groups: dict[tuple[str, str], list[EntryPoint]]) -> list[Group]:
    domains: dict[str, Domain] = {}
    used: set[str] = set()
    result = []
    for (domain_name, feature_name), members in groups.items():
        domain_slug = slug_of(domain_name, "domain")
        domain = domains.setdefault(domain_slug, Domain(slug=domain_slug, name=title(domain_name)))
        slug = slug_of(feature_name, "feature")
        slug = unique(f"{domain.slug}-{slug}" if slug in used else slug, used)
        labels = tuple(dict.fromkeys(entry.label for entry in members))
        feature = Feature(slug=slug, domain_slug=domain.slug, name=title(feature_name), entry_points=labels)
        result.append(Group(domain, feature, tuple(members)))
    return result


def unique(slug: str, used: set[str]) -> str:
    """`slug`, numbered when it is taken; adds what it returns to `used`."""
    candidate, number = slug, 1
    while candidate in used:
        number += 1
        candidate = f"{slug}-{number}"
    used.add(candidate)
    return candidate
