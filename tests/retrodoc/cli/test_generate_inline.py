"""Handlers without a name, and handlers of one name: every use case has a title and a line of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

APP = {
    "package.json": '{"name": "hats", "dependencies": {"express": "4"}}\n',
    "server.js": """
const express = require('express');
const app = express();
const hats = require('./hats');
const shelves = require('./shelves');

app.get('/hats', hats.list);
app.get('/shelves', shelves.list);
app.get('/prices', async (req, res) => {
  res.json(await hats.pricesOf(req.query.day));
});
app.get('/prices/:day', (req, res) => {
  res.send('none');
});
""",
    "hats.js": "exports.list = (req, res) => res.json(all());\nexports.pricesOf = (day) => day;\n",
    "shelves.js": "exports.list = (req, res) => res.json(every());\n",
}


def _run(*arguments: str | Path) -> str:
    command = [sys.executable, "-m", "retrodoc", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def test_each_use_case_says_what_runs_under_a_title_of_its_own(git_repo: Callable[..., Path]) -> None:
    repo = git_repo(APP)
    _run("generate", repo)
    (saved,) = (repo / ".retrodoc/runs").glob("*/run.json")
    told = {each["name"]: each["description"] for each in json.loads(saved.read_text())["use_cases"]}
    assert told == {
        "List hats": "Runs `hats.list`.",
        "List shelves": "Runs `shelves.list`.",
        "Get prices": "Runs code without a name, which calls `pricesOf`.",
        "Get prices by day": "Runs code without a name.",
    }
    written = [path.read_text() for path in (repo / "docs").rglob("*.md")]
    assert not [text for text in written if "anonymous" in text]
    assert any("| `GET /prices` | code without a name in [" in text for text in written)
    scan = _run("scan", repo)
    assert "GET /prices -> code without a name (server.js:9)" in scan
