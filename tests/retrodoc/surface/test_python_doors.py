"""Commands, jobs, events, installed scripts and public names of Python code: what starts, and what it is called."""

# ruff: noqa: E501 - a case is one line of a table, however long

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc_runs.models import EntryPoint


def found_by(rule: str, files: dict[str, str]) -> list[EntryPoint]:
    module = import_module(f"retrodoc.surface.frameworks.{rule}")
    return list(module.entry_points(Sources.from_mapping(files)))


def listed(found: list[EntryPoint]) -> list[str]:
    return sorted(f"{each.kind} {each.name} {each.handler.symbol}" for each in found)


SCRIPTS = '[project]\nname = "tool"\n[project.scripts]\ntool = "tool.cli:main"\n'
PACKAGE = {"tool/__init__.py": "", "pyproject.toml": SCRIPTS}

FORMS = [
    ("click_commands", {"tool/cli.py": "import click\n@click.command()\ndef main(): ..."}, ["cli tool tool.cli.main"]),
    (
        "click_commands",
        {
            "tool/cli.py": "import click\nfrom tool.more import extra\n@click.group()\ndef main(): ...\n"
            "@main.command()\ndef add_user(): ...\n@main.command('rm')\ndef remove(): ...\n"
            "@main.group()\ndef db(): ...\n@db.command(name='up')\ndef upgrade(): ...\n"
            "main.add_command(extra)\nmain.add_command(extra, 'again')\n",
            "tool/more.py": "import click\n@click.command()\ndef extra(): ...",
        },
        [
            "cli tool add-user tool.cli.add_user",
            "cli tool again tool.more.extra",
            "cli tool db up tool.cli.upgrade",
            "cli tool extra tool.more.extra",
            "cli tool rm tool.cli.remove",
        ],
    ),
    (
        "click_commands",
        {"tool/cli.py": "import click\n@click.group(invoke_without_command=True)\ndef main(): ...\n"},
        ["cli tool tool.cli.main"],
    ),
    (
        "click_commands",
        {
            "tool/cli.py": "import click\n@click.group()\ndef main(): ...\n@main.group()\ndef publish(): ...\n",
            "tool/plugin.py": "import click\ndef register(publish):\n    @publish.command()\n    def here(): ...\n",
        },
        ["cli tool publish here tool.plugin.register.<locals>.here"],
    ),
    (
        "click_commands",
        {"app.py": "import click\nfrom flask import Flask\napp = Flask('x')\n@app.cli.command('init-db')\ndef go(): ..."},
        ["cli flask init-db app.go"],
    ),
    (
        "typer_commands",
        {
            "tool/cli.py": "import typer\nmain = typer.Typer()\nusers = typer.Typer()\nmain.add_typer(users, name='users')\n"
            "@main.command()\ndef hello_world(): ...\n@users.command('new')\ndef add(): ...\n"
        },
        ["cli tool hello-world tool.cli.hello_world", "cli tool users new tool.cli.add"],
    ),
    (
        "typer_commands",
        {"tool/cli.py": "import typer\nmain = typer.Typer()\n@main.command()\ndef only(): ...\n"},
        ["cli tool tool.cli.only"],
    ),
    (
        "argparse_commands",
        {"tool/cli.py": "import argparse\ndef main():\n    p = argparse.ArgumentParser()\n    p.parse_args()\n"},
        ["cli tool tool.cli.main"],
    ),
    (
        "argparse_commands",
        {
            "tool/cli.py": "import argparse\ndef up(args): ...\ndef main():\n    p = argparse.ArgumentParser(prog='t')\n"
            "    s = p.add_subparsers()\n    a = s.add_parser('up')\n    a.set_defaults(func=up)\n"
            "    for name in ('in', 'out'):\n        s.add_parser(name)\n"
        },
        ["cli tool in tool.cli.main", "cli tool out tool.cli.main", "cli tool up tool.cli.up"],
    ),
    ("argparse_commands", {"run.py": "import argparse\nprint(argparse.ArgumentParser().parse_args())"}, ["cli python run.py run"]),
    ("python_scripts", {"tool/cli.py": "def main(): ..."}, ["cli tool tool.cli.main"]),
    ("python_scripts", {"tool/cli.py": "import click\n@click.group()\ndef main(): ..."}, []),
    ("python_scripts", {"tool/cli.py": "other = 1"}, []),
    (
        "python_scripts",
        {
            "pyproject.toml": "",
            "setup.py": "from setuptools import setup\nsetup(entry_points={'console_scripts': ['a = tool.cli:main']})",
            "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    b = tool.cli:main\n",
            "tool.egg-info/entry_points.txt": "[console_scripts]\nc = tool.cli:main\n",
            "tool/cli.py": "def main(): ...",
        },
        ["cli a tool.cli.main", "cli b tool.cli.main", "cli c tool.cli.main"],
    ),
    (
        "django_commands",
        {
            "shop/__init__.py": "",
            "shop/management/commands/send_bills.py": "from django.core.management.base import BaseCommand\n"
            "class Command(BaseCommand):\n    help = 'x'\n    def handle(self, *args, **options): ...\n",
            "shop/management/commands/_shared.py": "class Command: ...\n",
            "shop/management/commands/tools.py": "def helper(): ...\n",
        },
        ["cli send_bills shop.management.commands.send_bills.Command"],
    ),
    (
        "celery",
        {
            "work/__init__.py": "",
            "work/app.py": "from celery import Celery\napp = Celery('work')\n",
            "work/mail.py": "from work.app import app\n@app.task(queue='mail')\ndef send(): ...\n",
            "work/board.py": "from board import kanban\n@kanban.task\ndef no(): ...\n",
        },
        ["job send work.mail.send"],
    ),
    (
        "celery",
        {
            "jobs.py": "from celery import shared_task\nfrom proj.celery import app\n@shared_task\ndef one(): ...\n"
            "@app.task(bind=True)\ndef two(self): ...\n@app.task(name='night.three')\ndef three(): ...\n"
            "@other\ndef no(): ...\n",
            "tests/test_jobs.py": "from celery import shared_task\n@shared_task\ndef only_in_a_test(): ...\n",
        },
        ["job night.three jobs.three", "job one jobs.one", "job two jobs.two"],
    ),
    (
        "celery",
        {"jobs.py": "from celery import Task\nclass Bill(Task):\n    def run(self): ...\nclass Other:\n    def run(self): ...\n"},
        ["job Bill jobs.Bill"],
    ),
    (
        "django_signals",
        {
            "shop/__init__.py": "",
            "shop/signals.py": "from django.dispatch import Signal\npaid = Signal()\nunheard = Signal()\n",
            "shop/receivers.py": "from django.dispatch import receiver\nfrom django.db.models.signals import post_save\n"
            "from shop.signals import paid\nfrom shop.models import Order\n"
            "@receiver(post_save, sender=Order)\ndef saved(**kwargs): ...\n"
            "def pay(**kwargs): ...\npaid.connect(pay, sender=Order)\n"
            "import sqlite3\nsqlite3.connect('x')\nwidget.clicked.connect(pay)\n",
            "shop/models.py": "class Order: ...\n",
        },
        [
            "event paid of Order shop.receivers.pay",
            "event post_save of Order shop.receivers.saved",
            "event unheard shop.signals.unheard",
        ],
    ),
    (
        "click_commands",
        {
            "tool/__init__.py": "import click\n@click.group()\ndef cli(): ...\n",
            "tool/users.py": "from tool import cli\n@cli.command()\ndef users(): ...\n",
        },
        ["cli tool users tool.users.users"],
    ),
    (
        "public_api_python",
        {
            "tool/__init__.py": "from tool.core import Thing, helper\nfrom os import path\n_hidden = 1\n"
            "__all__ = ['Thing']\n",
            "tool/core.py": "class Thing: ...\ndef helper(): ...\n",
        },
        ["public-api tool.Thing tool.core.Thing"],
    ),
    (
        "public_api_python",
        {"tool/core.py": "class Thing: ...\ndef _no(): ...\n", "tests/__init__.py": "def t(): ...", "setup.py": "def s(): ..."},
        ["public-api tool.core.Thing tool.core.Thing"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "files", "expected"), FORMS)
def test_a_rule_finds_these_doors(rule: str, files: dict[str, str], expected: list[str]) -> None:
    assert listed(found_by(rule, {**PACKAGE, **files})) == expected


def test_a_command_is_cited_at_the_method_that_does_the_work() -> None:
    (entry,) = found_by(
        "django_commands",
        {
            "a/management/commands/go.py": "class Command(BaseCommand):\n    x = 1\n\n    def handle(self):\n        pass\n"
        },
    )
    assert (entry.handler.start_line, entry.handler.end_line) == (4, 5)


def test_a_scheduled_task_is_declared_where_it_is_scheduled() -> None:
    files = {
        "jobs.py": "from celery import shared_task\n@shared_task\ndef nightly(): ...\n",
        "conf.py": "CELERY_BEAT_SCHEDULE = {\n    'night': {'task': 'jobs.nightly', 'schedule': 60},\n}\n",
    }
    (entry,) = found_by("celery", files)
    assert entry.declared is not None
    assert (entry.declared.path, entry.declared.start_line) == ("conf.py", 2)


COUNTS = [
    ("flaskbb", "click_commands", 25, "cli flaskbb users new flaskbb.cli.users.new_user"),
    ("datasette", "click_commands", 8, "cli datasette serve datasette.cli.serve"),
    ("kinto", "argparse_commands", 7, "cli kinto purge-deleted kinto.__main__.main"),
    ("oscar", "django_commands", 11, "cli oscar_send_alerts oscar.management.commands.oscar_send_alerts.Command"),
]


@pytest.mark.corpora
@pytest.mark.parametrize(("name", "rule", "count", "one"), COUNTS)
def test_a_real_program_has_these_commands(
    corpus_sources: Callable[[str], Sources], name: str, rule: str, count: int, one: str
) -> None:
    found = list(import_module(f"retrodoc.surface.frameworks.{rule}").entry_points(corpus_sources(name)))
    assert one in listed(found)
    assert len(found) == count
