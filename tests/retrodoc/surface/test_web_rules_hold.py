"""What must hold for every input: damaged source stops no rule, and what is found stays inside its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrodoc.ingest.sources import Sources
from retrodoc.surface.entities import active_record, javascript_schemas, rust, typescript, typescript_models
from retrodoc.surface.frameworks import (
    active_job,
    axum,
    clap,
    commander,
    express,
    grape,
    nest,
    next,
    public_api_javascript,
    public_api_ruby,
    public_api_rust,
    rails_routes,
    rake,
    rust_programs,
    sinatra,
    thor,
)
from retrodoc.surface.ruby.inflect import Inflector
from retrodoc.surface.ruby.route_scope import normalize
from retrodoc_runs.models import Entity, EntryPoint

DATA = Path(__file__).parent / "data"
FILES = {
    "config/routes.rb": (DATA / "every_route_form.rb").read_text(),
    "app/controllers/posts_controller.rb": """class PostsController < Base
  include A
  def index; end
  private
end
""",
    "app/models/post.rb": """class Post < ApplicationRecord
  enum state: { a: 1 }
  belongs_to :user
end
""",
    "app/jobs/a_job.rb": "class AJob < ApplicationJob\n  def perform; end\nend\n",
    "db/migrate/1_a.rb": """class A < X
  def change
    create_table :posts do |t|
      t.string :a
    end
  end
end
""",
    "lib/cli.rb": """class Cli < Thor
  desc 'a', 'b'
  def a; end
end
class Api < Sinatra::Base
  get('/') { 1 }
end
class Deep < Grape::API
  resource(:a) { get { 1 } }
end
""",
    "Rakefile": "namespace :a do\n  task b: [:c] do\n  end\nend\n",
    "server.js": """const e = require('express'), app = e();
const r = e.Router();
r.route('/a').get(h, (q, s) => {});
app.use('/b', wrap(r));
module.exports = { app, ...r, f() {} };
class A extends B { x = () => {} }
const { program } = require('commander');
program.command('go <x>').action(h);
""",
    "package.json": '{"name": "a", "main": "server.js", "dependencies": {"next": "15"}}',
    "app/api/a/route.ts": "export const GET = wrap(() => {});\nexport { POST } from 'b';\n",
    "pages/a/[b].jsx": "export default function A() {}\n",
    "models.ts": """import mongoose from 'mongoose';
const s = new mongoose.Schema({ a: String, b: { type: Date, enum: ['c'] } });
import { Entity } from 'typeorm';
@Entity() class D { @Column() e: number; }
""",
    "a.ts": """import { Controller, Get } from '@nestjs/common';
@Controller('a')
export class A { @Get(':b') c() {} }
export enum E { A = 'a' }
export type U = 'a' | 'b';
""",
    "Cargo.toml": '[package]\nname = "a"\n',
    "src/lib.rs": """pub mod m { pub fn f() {} }
pub use m::f as g;
pub struct S { pub a: u8 }
impl S { pub fn n() {} }
""",
    "src/main.rs": """use clap::{Command, Parser};
#[derive(Parser)]
enum C { A(B), D { x: u8 } }
fn main() { match c { C::A(b) => b.run(), _ => {} } }
fn cli() -> Command { Command::new("x").subcommand(y()) }
""",
    "src/web.rs": """use axum::Router;
fn app() -> Router { Router::new().route("/a", get(h)).nest("/b", b()) }
fn b() -> Router { Router::new().nest("/c", b()) }
""",
}
RULES: list[Callable[[Sources], Iterable[EntryPoint | Entity]]] = [
    *(
        module.entry_points
        for module in (
            active_job,
            axum,
            clap,
            commander,
            express,
            grape,
            nest,
            next,
            public_api_javascript,
            public_api_ruby,
            public_api_rust,
            rails_routes,
            rake,
            rust_programs,
            sinatra,
            thor,
        )
    ),
    *(module.entities for module in (active_record, javascript_schemas, rust, typescript, typescript_models)),
]
PIECES = [
    b"",
    b"(",
    b")",
    b"{",
    b"}",
    b"end\n",
    b'"',
    b"'",
    b" do ",
    b"\x00",
    b"\xff",
    b"[",
    b"=>",
    b"::",
    b"#{",
    b"`${",
]


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, bytes]:
    """The files above, some of them cut or with stray pieces put in."""
    files = {path: text.encode() for path, text in FILES.items()}
    for path in draw(st.lists(st.sampled_from(sorted(files)), max_size=4)):
        text = files[path]
        at = draw(st.integers(0, len(text)))
        gone = draw(st.integers(0, 40))
        files[path] = text[:at] + draw(st.sampled_from(PIECES)) + text[at + gone :]
    return files


def places(found: EntryPoint | Entity) -> tuple[str | None, int | None, int | None]:
    place = found.handler if isinstance(found, EntryPoint) else found
    return place.path, place.start_line, place.end_line


@settings(max_examples=60, deadline=None)
@given(damaged())
def test_damaged_source_stops_no_rule_and_every_place_is_in_its_file(files: dict[str, bytes]) -> None:
    sources = Sources.from_mapping(files)
    for rule in RULES:
        for found in rule(sources):
            path, start, end = places(found)
            if path is None:
                assert (start, end) == (None, None)
            else:
                assert start is not None
                assert end is not None
                assert 1 <= start <= end <= files[path].count(b"\n") + 1


def test_every_rule_finds_something_in_the_undamaged_files() -> None:
    """Else the test above would hold of rules that find nothing."""
    sources = Sources.from_mapping(FILES)
    empty = {"rust_programs"}  # a crate with clap is left to that rule
    silent = {rule.__module__.rpartition(".")[2] for rule in RULES if not list(rule(sources))}
    assert silent == empty


@given(st.text(alphabet="/ab:()*.", max_size=20))
def test_a_normalised_route_starts_with_a_slash_or_an_optional_part_and_stays_as_it_is(path: str) -> None:
    once = normalize(path)
    assert once.startswith(("/", "("))
    assert "//" not in once


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("post", "posts"),
        ("category", "categories"),
        ("day", "days"),
        ("box", "boxes"),
        ("status", "statuses"),
        ("address", "addresses"),
        ("person", "people"),
        ("news", "news"),
        ("analysis", "analyses"),
        ("knife", "knives"),
        ("wolf", "wolves"),
        ("move", "moves"),
        ("index", "indices"),
        ("medium", "media"),
        ("database", "databases"),
        ("time_entry", "time_entries"),
    ],
)
def test_singular_and_plural_are_those_of_rails(one: str, many: str) -> None:
    """Taken from what Rails 6.1.7 answers."""
    assert (Inflector().plural(one), Inflector().singular(many)) == (many, one)
