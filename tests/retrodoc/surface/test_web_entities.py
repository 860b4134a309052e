"""What Ruby, TypeScript and Rust applications keep: fields, types and allowed values."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface.entities import active_record, rust, typescript
from retrodoc_runs.models import Entity

Row = tuple[str, str | None, tuple[str, ...]]


def fields(entity: Entity) -> list[Row]:
    return [(each.name, each.type, each.values) for each in entity.fields]


def by_name(found: Iterable[Entity]) -> dict[str, Entity]:
    return {each.name: each for each in found}


MIGRATIONS = {
    "db/migrate/002_second.rb": "class Second < ActiveRecord::Migration[6.1]\n  def change\n"
    "    add_column :orders, :state, :string, default: 'new'\n    rename_column :orders, :amount, :total\n"
    "    remove_column :orders, :junk\n    change_column :orders, :note, :text\n"
    "    add_reference :orders, :shop, polymorphic: true\n    rename_table :lines, :items\n    drop_table :gone\n"
    "    create_join_table :orders, :tags\n    change_table :orders do |t|\n"
    "      t.remove :old\n      t.integer :kind\n"
    '    end\n    %w(a b).each { |n| add_column :items, "is_#{n}", :boolean }\n  end\n'
    "  def down\n    drop_table :orders\n  end\nend\n",
    "db/migrate/001_first.rb": "class First < ActiveRecord::Migration\n  def self.up\n    create_table :orders do |t|\n"
    "      t.column 'amount', :decimal\n      t.string :junk, :old\n      t.string :note\n"
    "      t.references :customer\n"
    "      t.timestamps\n    end\n    create_table(:lines, id: false) { |t| t.integer :order_id }\n"
    "    create_table :gone\n  end\nend\n",
}


def test_migrations_are_replayed_in_order_and_joined_with_the_models() -> None:
    model = (
        "class Order < ApplicationRecord\n  STATES = %w[new paid].freeze\n  belongs_to :customer\n"
        "  has_many :items, class_name: 'Line'\n  validates :state, inclusion: { in: STATES }\n"
        "  enum kind: { retail: 0, trade: 1 }\n  enum :mood, [:good, :bad]\nend\n"
    )
    found = by_name(
        active_record.entities(
            Sources.from_mapping(
                {
                    **MIGRATIONS,
                    "app/models/order.rb": model,
                    "app/models/application_record.rb": "class ApplicationRecord < ActiveRecord::Base\nend\n",
                    "app/models/big_order.rb": "class BigOrder < Order\n  has_one :van\nend\n",
                    "app/models/label.rb": "class Label < ApplicationRecord\n  self.table_name = 'tags'\nend\n",
                }
            )
        )
    )
    assert fields(found["Order"]) == [
        ("id", "bigint", ()),
        ("total", "decimal", ()),
        ("note", "text", ()),
        ("customer_id", "bigint", ()),
        ("created_at", "datetime", ()),
        ("updated_at", "datetime", ()),
        ("state", "string", ("new", "paid")),
        ("shop_id", "bigint", ()),
        ("shop_type", "string", ()),
        ("kind", "integer", ("retail", "trade")),
        ("mood", None, ("good", "bad")),
        ("customer", "belongs_to Customer", ()),
        ("items", "has_many Line", ()),
    ]
    assert fields(found["BigOrder"]) == [("van", "has_one Van", ())]
    assert (found["Order"].kind, found["Order"].start_line, found["Order"].end_line) == ("active-record", 1, 8)
    assert fields(found["items"]) == [
        ("order_id", "integer", ()),
        ("is_a", "boolean", ()),
        ("is_b", "boolean", ()),
    ]
    assert (found["items"].kind, found["items"].path) == ("table", "db/migrate/001_first.rb")
    assert set(found) == {"Order", "BigOrder", "Label", "items", "orders_tags"}


def test_a_schema_says_how_the_migrations_beside_it_end() -> None:
    found = by_name(
        active_record.entities(
            Sources.from_mapping(
                {
                    **MIGRATIONS,
                    "db/schema.rb": "ActiveRecord::Schema[7.0].define(version: 2) do\n"
                    '  create_table "people", force: :cascade do |t|\n    t.string "name", null: false\n'
                    '    t.index ["name"], name: "by_name"\n  end\nend\n',
                    "app/models/person.rb": "class Person < ActiveRecord::Base\nend\n",
                }
            )
        )
    )
    assert set(found) == {"Person"}
    assert fields(found["Person"]) == [("id", "bigint", ()), ("name", "string", ())]


TYPESCRIPT = [
    (
        "export interface Order { id: number; state?: 'new' | 'paid'; total(): number }",
        ("interface", [("id", "number", ()), ("state", "'new' | 'paid'", ("new", "paid"))], ()),
    ),
    ("type Size = 's' | 'm' | null;", ("union", [], ("s", "m"))),
    ("type Level = 1 | 2;", ("union", [], ("1", "2"))),
    ("enum Color { Red, Green = 'green', 'two words' = 3 }", ("enum", [], ("Red", "green", "two words"))),
    ("declare const enum Flag { On = 1 << 0 }", ("enum", [], ("On",))),
    ("type Point = { x: number, 'y-z': string[] };", ("type", [("x", "number", ()), ("y-z", "string[]", ())], ())),
    ("type Mixed = 'a' | string;", None),
    ("type Alias = Order;", None),
    ("interface Empty {}", None),
]


@pytest.mark.parametrize(("text", "expected"), TYPESCRIPT, ids=[text for text, _ in TYPESCRIPT])
def test_a_typescript_declaration_is_this_entity(text: str, expected: tuple[str, list[Row], tuple[str, ...]]) -> None:
    found = list(typescript.entities(Sources.from_mapping({"a.ts": text, "test/a.ts": text})))
    assert [(each.kind, fields(each), each.values) for each in found] == ([expected] if expected else [])


RUST = """#[derive(Debug)]
pub struct Order<'a> {
    pub id: u64, // key
    r#type: Option<&'a str>,
}
enum State { New, Paid { at: u64 }, Sent(u8) }
struct Unit;
struct Pair(u8, u8);
mod inner { pub enum Way { In } }
#[cfg(test)]
mod tests { struct Never { a: u8 } }
"""


def test_rust_structs_have_their_fields_and_enums_their_variants() -> None:
    found = list(rust.entities(Sources.from_mapping({"src/a.rs": RUST, "tests/b.rs": "enum Never { A }"})))
    assert [(each.name, each.kind, each.start_line, each.end_line) for each in found] == [
        ("Order", "struct", 1, 5),
        ("State", "enum", 6, 6),
        ("Way", "enum", 9, 9),
    ]
    assert fields(found[0]) == [("id", "u64", ()), ("type", "Option<&'a str>", ())]
    assert found[1].values == ("New", "Paid", "Sent")


@pytest.mark.corpora
def test_redmines_records_have_the_columns_of_its_301_migrations(corpus_sources: Callable[[str], Sources]) -> None:
    found = by_name(active_record.entities(corpus_sources("redmine")))
    issue = {each.name: each for each in found["Issue"].fields}
    assert {"subject", "root_id", "closed_on", "is_private", "parent_id"} <= set(issue)
    assert issue["assigned_to"].type == "belongs_to Principal"
    assert "updated_on" in issue
    values = {each.name: each.values for each in found["Version"].fields}
    assert values["status"] == ("open", "locked", "closed")
    assert found["Issue"].start_line == 20
    assert "enumerations" not in found
