"""What Python code and SQL keep: fields with their types, and the values that are allowed where code lists them."""

# ruff: noqa: E501 - a case is one line of a table, however long

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc_runs.models import Entity


def found_by(rule: str, files: dict[str, str]) -> list[Entity]:
    module = import_module(f"retrodoc.surface.entities.{rule}")
    return list(module.entities(Sources.from_mapping(files)))


def shown(entity: Entity) -> str:
    fields = ", ".join(
        f"{field.name}: {field.type}" + (f" {'|'.join(field.values)}" if field.values else "")
        for field in entity.fields
    )
    return f"{entity.kind} {entity.name}({fields}) {'|'.join(entity.values)}".strip()


DJANGO = "from django.db import models\n"
FORMS = [
    (
        "django_models",
        "class Order(models.Model):\n    total = models.DecimalField()\n    by = models.ForeignKey('auth.User', on_delete=1)\n",
        ["django-model Order(total: DecimalField, by: ForeignKey(auth.User))"],
    ),
    (
        "django_models",
        "OPEN = 'open'\nclass Order(models.Model):\n    DONE = 'done'\n    STATES = ((OPEN, 'Open'), (DONE, 'Done'))\n"
        "    state = models.CharField(choices=STATES)\n    size = models.IntegerField(choices=[(1, 'S'), (2, 'L')])\n",
        ["django-model Order(state: CharField open|done, size: IntegerField 1|2)"],
    ),
    (
        "django_models",
        "class State(models.TextChoices):\n    NEW = 'new', 'New'\n    OLD = 'old'\n"
        "class Order(models.Model):\n    state = models.CharField(choices=State.choices)\n    one = models.CharField(choices=State)\n",
        ["django-model Order(state: CharField new|old, one: CharField new|old)"],
    ),
    (
        "django_models",
        "class Stamped(models.Model):\n    at = models.DateTimeField()\n    class Meta:\n        abstract = True\n"
        "class Order(Stamped):\n    lines = models.ManyToManyField('Line')\n",
        [
            "django-model Stamped(at: DateTimeField)",
            "django-model Order(at: DateTimeField, lines: ManyToManyField(Line))",
        ],
    ),
    (
        "django_models",
        "if not registered('x'):\n    class Order(models.Model):\n        n = models.IntegerField()\n",
        ["django-model Order(n: IntegerField)"],
    ),
    ("django_models", "from forms import Form\nclass Order(Form):\n    total = models.DecimalField()\n", []),
    (
        "sqlalchemy_models",
        "class User(db.Model):\n    id = db.Column(db.Integer, primary_key=True)\n    name = db.Column(db.String(50))\n"
        "    team_id = db.Column(db.ForeignKey('teams.id'))\n    kind = db.Column(db.Enum('a', 'b'))\n"
        "    team = db.relationship('Team')\n",
        [
            "sqlalchemy-model User(id: Integer, name: String(50), team_id: ForeignKey -> teams.id, kind: Enum(a, b) a|b,"
            " team: relationship(Team))"
        ],
    ),
    (
        "sqlalchemy_models",
        "from enum import Enum\nclass Kind(Enum):\n    A = 'a'\nclass User(Base):\n"
        "    id: Mapped[int] = mapped_column(primary_key=True)\n    kind: Mapped[Kind | None] = mapped_column()\n"
        "    posts: Mapped[list['Post']] = relationship()\n",
        ["sqlalchemy-model User(id: int, kind: Kind | None a, posts: relationship(list['Post']))"],
    ),
    (
        "sqlalchemy_models",
        "t = Table('users', metadata, Column('id', Integer), Column('name', String(9)))\n",
        ["table users(id: Integer, name: String(9))"],
    ),
    (
        "python_dataclasses",
        "from dataclasses import dataclass\nfrom typing import ClassVar, Literal, NamedTuple\n@dataclass(frozen=True)\n"
        "class A:\n    x: int\n    y: Literal['a', 'b'] = 'a'\n    z: ClassVar[int] = 1\nclass B(NamedTuple):\n    p: str\nclass C:\n    q: int\n",
        ["dataclass A(x: int, y: Literal['a', 'b'] a|b)", "named-tuple B(p: str)"],
    ),
    (
        "pydantic_models",
        "from pydantic import BaseModel\nfrom enum import Enum\nclass K(str, Enum):\n    A = 'a'\n    B = 'b'\n"
        "class Base(BaseModel):\n    id: int\nclass Item(Base):\n    kind: K | None = None\n    tags: list[str] = []\n",
        ["pydantic-model Base(id: int)", "pydantic-model Item(id: int, kind: K | None a|b, tags: list[str])"],
    ),
    (
        "python_enums",
        "from enum import Enum, auto\nclass Base(Enum):\n    def label(self): ...\nclass K(Base):\n    A = 'a'\n    B = auto()\n    C = 3\n",
        ["enum K() a|B|C"],
    ),
    (
        "python_enums",
        "from django.db import models\nclass K(models.IntegerChoices):\n    LOW = 1, 'Low'\n",
        ["enum K() LOW"],
    ),
    (
        "sql_ddl",
        "db.execute(\"\"\"\nCREATE TABLE IF NOT EXISTS main.orders (\n  id INTEGER PRIMARY KEY,\n  state TEXT NOT NULL CHECK (state IN ('open', 'it''s')),\n"
        '  total NUMERIC(10, 2) DEFAULT 0, -- money\n  FOREIGN KEY (id) REFERENCES x (id)\n);\n""")\n',
        ["table orders(id: INTEGER, state: TEXT open|it's, total: NUMERIC(10, 2))"],
    ),
    (
        "sql_ddl",
        "x = '''create table `t` (`kind` ENUM('a','b') NOT NULL, name varchar(9))'''\ny = '''CREATE TYPE mood AS ENUM (\"x\", 'sad', 'ok')'''\n",
        ["table t(kind: ENUM('a','b') a|b, name: varchar(9))", "enum mood() sad|ok"],
    ),
    ("sql_ddl", "x = 'CREATE TABLE never closed ('\ny = 'CREATE TABLE t AS SELECT 1'\n", []),
]


@pytest.mark.parametrize(("rule", "source", "expected"), FORMS)
def test_a_declaration_gives_these_fields_and_values(rule: str, source: str, expected: list[str]) -> None:
    head = DJANGO if rule == "django_models" else ""
    assert [shown(entity) for entity in found_by(rule, {"app/models.py": head + source})] == expected


def test_an_entity_and_its_fields_are_at_their_lines() -> None:
    source = "-- orders\nCREATE TABLE orders (\n  id INT,\n\n  name TEXT\n);\n"
    (entity,) = found_by("sql_ddl", {"schema.sql": source})
    assert (entity.start_line, entity.end_line) == (2, 6)
    assert [field.line for field in entity.fields] == [3, 5]


def test_a_field_from_a_base_in_another_file_has_no_line_here() -> None:
    files = {
        "a/__init__.py": "",
        "a/base.py": DJANGO
        + "class Base(models.Model):\n    at = models.DateField()\n    class Meta:\n        abstract = True\n",
        "a/models.py": DJANGO + "from a.base import Base\nclass Order(Base):\n    n = models.IntegerField()\n",
    }
    order = next(entity for entity in found_by("django_models", files) if entity.name == "Order")
    assert [(field.name, field.line) for field in order.fields] == [("at", None), ("n", 4)]


def test_what_tests_and_migrations_declare_is_no_entity() -> None:
    model = DJANGO + "class Order(models.Model):\n    n = models.IntegerField()\n"
    assert found_by("django_models", {"tests/models.py": model, "app/migrations/0001_initial.py": model}) == []


@pytest.mark.corpora
def test_oscars_basket_has_its_states(corpus_sources: Callable[[str], Sources]) -> None:
    """They are constants of the class, paired with translated labels."""
    models = import_module("retrodoc.surface.entities.django_models").entities(corpus_sources("oscar"))
    basket = next(entity for entity in models if entity.name == "AbstractBasket")
    status = next(field for field in basket.fields if field.name == "status")
    assert status.values == ("Open", "Merged", "Saved", "Frozen", "Submitted")
