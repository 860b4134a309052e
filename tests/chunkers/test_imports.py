"""Which names an import binds, and to what: `name = module`, or `name = module:imported` for a thing in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrodoc_chunkers import syntax_of
from retrodoc_chunkers.imports import MAX_NAMES, read_imports

TABLE: list[tuple[str, str, list[str]]] = [
    ("a.py", "import os", ["os = os@1"]),
    ("a.py", "import os.path, json as j", ["os = os.path@1", "j = json@1"]),
    ("a.py", "import a.b.c as d", ["d = a.b.c@1"]),
    ("a.py", "from a.b import c", ["c = a.b:c@1"]),
    ("a.py", "from a.b import c, d , e", ["c = a.b:c@1", "d = a.b:d@1", "e = a.b:e@1"]),
    ("a.py", "from a import (b, c as d,\n  e,  # last\n)", ["b = a:b@1", "d = a:c@1", "e = a:e@1"]),
    ("a.py", "from . import a", ["a = .:a@1"]),
    ("a.py", "from ..b.c import d as e", ["e = ..b.c:d@1"]),
    ("a.py", "from a import *", ["* = a:*@1"]),
    ("a.py", "from __future__ import annotations", ["annotations = __future__:annotations@1"]),
    (
        "a.py",
        "from __future__ import (annotations, division)",
        ["annotations = __future__:annotations@1", "division = __future__:division@1"],
    ),
    ("a.py", "from   a.b   import   c", ["c = a.b:c@1"]),
    ("a.py", "if x:\n    import a\n    from b import c", ["a = a@2", "c = b:c@3"]),
    (
        "a.rb",
        "require 'json'\nrequire_relative \"../lib/till\"\nload 'x.rb'\nautoload :Row, 'shop/row'",
        ["json = json@1", "till = ../lib/till@2", "x.rb = x.rb@3", "Row = shop/row:Row@4"],
    ),
    ("a.rb", "require File.expand_path('x')\nrequire name\nrequire\nputs 'x'\nself.require 'y'", []),
    ("a.js", "import a from 'x';", ["a = x:default@1"]),
    ("a.js", 'import * as a from "x";', ["a = x@1"]),
    (
        "a.js",
        "import { a, b as c, default as d } from './x.js';",
        ["a = ./x.js:a@1", "c = ./x.js:b@1", "d = ./x.js:default@1"],
    ),
    (
        "a.js",
        "import a, { b } from 'x'; import c, * as d from 'y';",
        ["a = x:default@1", "b = x:b@1", "c = y:default@1", "d = y@1"],
    ),
    ("a.js", "import 'x';", []),
    (
        "a.js",
        "export { a, b as c } from 'x'; export * from 'y'; export * as z from 'w'; export { q };",
        ["a = x:a@1", "c = x:b@1"],
    ),
    (
        "a.js",
        "const a = require('x'); const { b, c: d } = require(`y`); const e = require('z').f; let [g] = require('h');",
        ["a = x@1"],
    ),
    ("a.tsx", "import R, { b } from 'r';", ["R = r:default@1", "b = r:b@1"]),
    ("a.js", "const { b, c: d } = require(\"./y\"); var e = require('z');", ["b = ./y:b@1", "d = ./y:c@1", "e = z@1"]),
    ("a.js", "const a = other('x'); const b = require(x); const c = require('x', y); require('side');", []),
    ("a.ts", "import type { A } from 'x'; import { type B, C } from 'y';", ["A = x:A@1", "B = y:B@1", "C = y:C@1"]),
    ("a.ts", 'import fs = require("fs"); import A = N.M;', ["fs = fs@1"]),
    ("a.rs", "use a;", ["a = :a@1"]),
    ("a.rs", "use crate;", ["crate = :crate@1"]),
    ("a.rs", "use a::b::C;", ["C = a::b:C@1"]),
    (
        "a.rs",
        "use a::{b, c::D, e::{f, self}, g::*, self as h};",
        ["b = a:b@1", "D = a::c:D@1", "f = a::e:f@1", "e = a::e@1", "* = a::g:*@1", "h = a@1"],
    ),
    (
        "a.rs",
        "use a::B as C; pub use crate::d; use super::e; use self::f::g;",
        ["C = a:B@1", "d = crate:d@1", "e = super:e@1", "g = self::f:g@1"],
    ),
    (
        "a.rs",
        "use ::a::b; use {c, d::e}; use f::*; extern crate g; extern crate h as i;",
        ["b = ::a:b@1", "c = :c@1", "e = d:e@1", "* = f:*@1", "g = g@1", "i = h@1"],
    ),
    ("a.rs", "use a::b::{self as c, D as E};", ["c = a::b@1", "E = a::b:D@1"]),
    (
        "a.go",
        'package a\nimport "fmt"\nimport (\n\t"net/http"\n\tf "x/y"\n\t. "dot"\n\t_ "side"\n)',
        ["fmt = fmt@2", "http = net/http@3", "f = x/y@3", "* = dot:*@3", "_ = side@3"],
    ),
    (
        "A.java",
        "package p.q;\nimport a.b.C;\nimport a.b.*;\nimport static a.b.C.d;\nimport static a.b.C.*;",
        ["C = a.b:C@2", "* = a.b:*@3", "d = a.b.C:d@4", "* = a.b.C:*@5"],
    ),
    (
        "a.cs",
        "using A;\nusing A.B.C;\nusing D = A.B.E;\nusing static A.F;\nglobal using G;\nusing H = (int, int);\n"
        "class X { void f() { using var s = g(); using (h()) {} } }",
        ["A = A@1", "C = A.B.C@2", "D = A.B.E@3", "F = A.F@4", "G = G@5", "H = (int, int)@6"],
    ),
    (
        "a.php",
        "<?php\nuse A;\nuse A\\B;\nuse A\\C as D, E\\F;\nuse function A\\g;\nuse const A\\H;\n"
        "use A\\{I, J\\K as L};\nuse \\M\\N;",
        [
            "A = :A@2",
            "B = A:B@3",
            "D = A:C@4",
            "F = E:F@4",
            "g = A:g@5",
            "H = A:H@6",
            "I = A:I@7",
            "L = A\\J:K@7",
            "N = M:N@8",
        ],
    ),
    (
        "a.php",
        "<?php\nclass A { use B; }\nrequire 'a.php';\nrequire_once(\"b/c.php\");\n"
        "include dirname(__FILE__) . '/d.php';\ninclude_once $e;\n$x = require 'f.php';",
        ["a.php = a.php@3", "c.php = b/c.php@4", "d.php = /d.php@5"],
    ),
    ("a.c", '#include <a/b.h>\n#include "c.h"\n#include MACRO\n', ["b.h = a/b.h@1", "c.h = c.h@2", "MACRO = MACRO@3"]),
    (
        "a.cpp",
        "#include <vector>\nusing a::b;\nusing namespace c::d;\nusing namespace e;\nusing F = int;\n",
        ["vector = vector@1", "b = a:b@2", "* = c::d:*@3", "* = e:*@4"],
    ),
    ("a.h", '#pragma once\n#include "x.h"\n', ["x.h = x.h@2"]),
]


@pytest.mark.parametrize(("path", "source", "imports"), TABLE)
def test_an_import_binds_names(path: str, source: str, imports: list[str]) -> None:
    assert [
        f"{one.name} = {one.module}{'' if one.imported is None else f':{one.imported}'}@{one.line}"
        for one in syntax_of(source.encode(), path).imports
    ] == imports


@pytest.mark.parametrize(
    ("path", "before", "name", "after"),
    [
        ("a.py", "from a import (", "n{}", ")"),
        ("a.js", "import {", "n{}", "} from 'a';"),
        ("a.js", "const {", "n{}", "} = require('a');"),
        ("a.rs", "use a::{", "n{}", "};"),
        ("a.php", "<?php use a\\{", "n{}", "};"),
    ],
)
def test_any_number_of_names_up_to_a_bound(path: str, before: str, name: str, after: str) -> None:
    def bound(count: int) -> list[str]:
        names = ",\n".join(name.format(index) for index in range(count))
        return [one.name for one in syntax_of((before + names + after).encode(), path).imports]

    for count in (1, 2, 60):
        assert bound(count) == [name.format(index) for index in range(count)]
    if path != "a.py":
        assert MAX_NAMES - 2 <= len(bound(MAX_NAMES + 20)) <= MAX_NAMES


def test_a_language_without_a_reader_binds_nothing() -> None:
    assert list(read_imports([], "cobol", b"COPY x.", "utf-8")) == []


@given(names=st.lists(st.from_regex(r"n_[a-z]{0,8}", fullmatch=True), min_size=1, max_size=9))
def test_the_plain_form_of_python_is_read_as_the_long_one(names: list[str]) -> None:
    plain = syntax_of(f"from a.b import {', '.join(names)}\n".encode(), "a.py").imports
    long = syntax_of(f"from a.b import ({', '.join(names)},)\n".encode(), "a.py").imports
    assert plain == long
