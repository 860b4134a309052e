"""Files made to break a reader: lossless, right in their lines, bounded in work, and said when not read as code."""

from __future__ import annotations

import subprocess
import sys

import pytest

from retrodoc_chunkers import chunk_source, syntax_of
from retrodoc_chunkers.grammars import STEPS_PER_BYTE, STEPS_PER_FILE, ParseAbandoned, parse

# name: (bytes, path, why it is not read as code or None, definitions)
FILES: dict[str, tuple[bytes, str, str | None, int]] = {
    "empty": (b"", "a.py", None, 0),
    "no-final-newline": (b"def f():\n    pass", "a.py", None, 1),
    "only-newlines": (b"\n" * 20_000, "a.py", None, 0),
    "crlf": (b"def f():\r\n    pass\r\n\r\ndef g():\r\n    pass\r\n" * 300, "a.py", None, 600),
    "mixed-line-ends": (b"def f():\r\n    pass\n\r\ndef g():\n    pass\r\n" * 300, "a.py", None, 600),
    "lone-cr": (b"x = 1\ry = 2\r" * 2_000, "a.py", "minified", 0),
    "form-feeds": (b"def f():\n    pass\n\x0c\n" * 600, "a.py", None, 600),
    "line-separators": ("def f():\n    return '\u2028\u0085'\n".encode() * 300, "a.py", None, 300),
    "byte-order-mark": (b"\xef\xbb\xbfdef f():\n    pass\n" + b"f()\n" * 2_000, "a.py", None, 1),
    "latin-1": (b"# caf\xe9\ndef f\xe9():\n    pass\n" * 400, "a.py", None, 400),
    "nul-bytes": (b"def f():\n    pass\n" * 500 + b"\0", "a.py", "binary", 0),
    "utf-16": (("def f():\n    pass\n" * 500).encode("utf-16"), "a.py", "binary", 0),
    "one-line-of-5-MB": (b"a();" * 1_250_000, "a.js", "too-large", 0),
    "one-line-of-1-MB": (b"a();" * 250_000, "a.js", "minified", 0),
    "parentheses-on-a-line": (b"x = " + b"(" * 10_000 + b"1" + b")" * 10_000 + b"\n", "a.py", "minified", 0),
    "parentheses-python": (b"x = " + b"(\n" * 10_000 + b"1" + b")\n" * 10_000, "a.py", "tangled", 0),
    "parentheses-javascript": (b"x = " + b"(\n" * 10_000 + b"1" + b")\n" * 10_000, "a.js", "tangled", 0),
    "parentheses-ruby": (b"x = " + b"(\n" * 10_000 + b"1" + b")\n" * 10_000, "a.rb", "parse-abandoned", 0),
    "open-braces-java": (b"{\n" * 100_000, "a.java", "tangled", 0),
    "open-braces-rust": (b"{\n" * 100_000, "a.rs", "tangled", 0),
    "open-brackets-php": (b"<?php\n" + b"$a=[\n" * 20_000, "a.php", None, 0),
    "functions-in-functions": (b"function f(){\n" * 10_000 + b"}\n" * 10_000, "a.js", "tangled", 0),
    "classes-in-classes": (b"".join(b" " * i + b"class A:\n" for i in range(100)), "a.py", None, 100),
    "a-long-sum": (b"x = 1" + b" + \\\n1" * 20_000 + b"\n", "a.py", "tangled", 0),
    "a-long-chain": (b"a" + b"\n.b(1)" * 20_000 + b";\n", "a.js", "tangled", 0),
    "less-than-csharp": (b"a<\n" * 50_000, "a.cs", "parse-abandoned", 0),
    "less-than-cpp": (b"a<\n" * 50_000, "a.cpp", "parse-abandoned", 0),
    "hundred-thousand-definitions": (b"def f(): pass\n" * 100_000, "a.py", None, 100_000),
    "fifty-thousand-decorators": (b"@a\n" * 50_000 + b"def f(): pass\n", "a.py", None, 1),
    "fifty-thousand-attributes": (b"#[a]\n" * 50_000 + b"fn f() {}\n", "a.rs", None, 1),
    "comments-alone": (b"// a\n" * 50_000, "a.rs", None, 0),
    "syntax-error": (b"def f():\n    pass\n\n" * 300 + b"d (((:\n" + b"\ndef g(): pass\n" * 300, "a.py", None, 600),
    "garbage": (bytes((i * 7919) % 94 + 33 if i % 60 else 10 for i in range(100_000)), "a.rb", None, 0),
    "tabs": (b"class A\n\tdef f\n\t\t1\n\tend\nend\n" * 300, "a.rb", None, 600),
    "emoji-and-combining-marks": ("def f():\n    return '\U0001f468\u200d\U0001f469 e\u0301'\n".encode() * 300, "a.py",
                                  None, 300),
    "unclosed-strings": (b'"\n' * 50_000, "a.rb", "parse-abandoned", 0),
    "unclosed-substitutions": (b'"#{\n' * 5_000, "a.rb", "tangled", 0),
    "nested-comments": (b"/*\n" * 50_000, "a.rs", None, 0),
    "heredocs": (b"x <<A, <<B, <<C\n" * 5_000, "a.rb", None, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_chunked_without_loss(name: str) -> None:
    source, path, _, _ = FILES[name]
    chunks = chunk_source(source, path)
    assert b"".join(source[one.start_byte : one.end_byte] for one in chunks) == source
    line = 1
    for one in chunks:
        assert one.end_byte - one.start_byte <= 4 * 6_000
        assert one.start_line == line
        line += source.count(b"\n", one.start_byte, one.end_byte)


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_read_or_says_why_not(name: str) -> None:
    source, path, reason, definitions = FILES[name]
    syntax = syntax_of(source, path)
    assert syntax.unread_reason == reason
    assert len(syntax.definitions) == definitions
    last = source.count(b"\n")
    assert reason is None or syntax.calls == syntax.comments == syntax.enclosing(last) == ()
    assert reason is None or syntax.counts(1, last) == frozenset()


def test_a_parse_is_given_up_by_its_work_not_by_the_clock() -> None:
    steps = STEPS_PER_FILE + STEPS_PER_BYTE * 150_000
    assert steps < 6_000, "in the unit of the parser: a hundred operations"
    for _ in range(2):
        with pytest.raises(ParseAbandoned):
            parse(b"a<\n" * 50_000, "csharp")
    assert parse(b"class A {}", "csharp").root_node.has_error is False, "and the parser works on"


def test_the_parentheses_fit_in_little_memory() -> None:
    """Peers take gigabytes or raise RecursionError; measured in a process of its own."""
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000,) * 2)\n"
        "from retrodoc_chunkers import chunk_source, syntax_of\n"
        "source = b'x = ' + b'(\\n' * 10_000 + b'1' + b')\\n' * 10_000\n"
        "for path in ('a.py', 'a.js', 'a.rb', 'a.java', 'a.cs'):\n"
        "    assert len(chunk_source(source, path)) > 6 and syntax_of(source, path).calls is not None\n"
        "for path in ('a.cs', 'a.cpp', 'a.ts'):\n"
        "    assert chunk_source(b'a<\\n' * 50_000, path)\n"
    )
    pytest.importorskip("resource")
    subprocess.run([sys.executable, "-c", program], check=True, timeout=250)
