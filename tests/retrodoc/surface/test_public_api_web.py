"""What a library without any other door offers: Rust, JavaScript and Ruby."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface import read_surface
from retrodoc.surface.frameworks import public_api_javascript, public_api_ruby, public_api_rust, rust_programs
from retrodoc_runs.models import EntryPoint

Row = tuple[str | None, str | None, int | None]


def listed(found: Iterable[EntryPoint]) -> list[Row]:
    return [(each.name, each.handler.path, each.handler.start_line) for each in found]


RUST = {
    "Cargo.toml": '[package]\nname = "my-shop"\n',
    "src/lib.rs": "pub mod open;\nmod hidden;\npub use hidden::{Cart, inner::deep as shallow};\n"
    "pub use crate::hidden::glob::*;\n"
    "pub use std::fmt;\npub fn top() {}\nfn private() {}\npub(crate) fn half() {}\n"
    "#[macro_export]\nmacro_rules! say { () => {} }\n"
    "#[cfg(test)]\nmod tests { pub fn never() {} }\n",
    "src/open.rs": "/// Says.\n#[must_use]\npub fn door() {}\npub trait Knock { fn knock(&self); }\n"
    "pub mod room { pub fn bed() {} }\n",
    "src/hidden/mod.rs": "pub mod inner;\npub mod glob;\npub struct Cart;\npub struct Unseen;\nimpl Cart {\n"
    "    pub fn total(&self) {}\n    fn secret(&self) {}\n}\nimpl Unseen { pub fn no(&self) {} }\n",
    "src/hidden/inner.rs": "pub fn deep() {}\npub fn other() {}\n",
    "src/hidden/glob.rs": "pub fn starred() {}\n",
}


def test_a_rust_library_offers_what_lib_rs_reaches() -> None:
    found = public_api_rust.entry_points(Sources.from_mapping(RUST))
    assert sorted(listed(found)) == [
        ("my_shop::Cart::total", "src/hidden/mod.rs", 6),
        ("my_shop::open::Knock", "src/open.rs", 4),
        ("my_shop::open::door", "src/open.rs", 2),
        ("my_shop::open::room::bed", "src/open.rs", 5),
        ("my_shop::say!", "src/lib.rs", 9),
        ("my_shop::shallow", "src/hidden/inner.rs", 1),
        ("my_shop::starred", "src/hidden/glob.rs", 1),
        ("my_shop::top", "src/lib.rs", 6),
    ]


PROGRAMS = [
    ({"Cargo.toml": '[package]\nname = "say"\n', "src/main.rs": "fn main() {}\n"}, [("say", "src/main.rs", 1)]),
    (
        {
            "Cargo.toml": '[package]\nname = "say"\n[[bin]]\nname = "sp"\npath = "tool/main.rs"\n',
            "tool/main.rs": "fn main() {}\n",
            "src/bin/other.rs": "fn main() {}\n",
        },
        [("sp", "tool/main.rs", 1), ("other", "src/bin/other.rs", 1)],
    ),
    ({"Cargo.toml": '[package]\nname = "x"\n', "src/main.rs": "use clap::Parser;\nfn main() {}\n"}, []),
    ({"Cargo.toml": '[package]\nname = "x"\n', "src/lib.rs": "fn main() {}\n"}, []),
]


@pytest.mark.parametrize(("files", "expected"), PROGRAMS)
def test_a_rust_program_without_clap_is_its_main(files: dict[str, str], expected: list[Row]) -> None:
    assert listed(rust_programs.entry_points(Sources.from_mapping(files))) == expected


JAVASCRIPT = [
    (
        {
            "package.json": '{"name": "shop", "main": "./dist/cjs/index.js"}',
            "src/index.ts": "export * from './sum';\nexport { a as b } from './names';\n"
            "export type { T } from './names';\n"
            "export const LIMIT = 3;\nexport default class Shop {}\n"
            "import { Later } from './names';\nexport { Later };\n",
            "src/sum.ts": "export function sum(a: number): number;\n"
            "export function sum(a: any) { return a }\nfunction no() {}\n",
            "src/names.ts": "export const a = () => {};\nexport type T = 1;\nexport class Later {}\n",
            "dist/cjs/index.js": "exports.built = 1;\n",
        },
        [
            ("shop.sum", "src/sum.ts", 2),
            ("shop.b", "src/names.ts", 1),
            ("shop.LIMIT", "src/index.ts", 4),
            ("shop.default", "src/index.ts", 5),
            ("shop.Later", "src/names.ts", 3),
        ],
    ),
    (
        {
            "package.json": '{"name": "shop", "exports": '
            '{".": {"import": "./lib/index.mjs"}, "./more": "./lib/more.js"}}',
            "lib/index.mjs": "export const one = () => {};\n",
            "lib/more.js": "module.exports = { two() {}, three: 3, one };\n"
            "function one() {}\nexports.four = function () {};\n",
        },
        [
            ("shop.one", "lib/index.mjs", 1),
            ("shop/more.four", "lib/more.js", 3),
            ("shop/more.two", "lib/more.js", 1),
            ("shop/more.three", "lib/more.js", 1),
            ("shop/more.one", "lib/more.js", 2),
        ],
    ),
    ({"index.js": "export const x = 1;\n"}, []),
]


@pytest.mark.parametrize(("files", "expected"), JAVASCRIPT)
def test_a_javascript_package_offers_what_its_entry_exports(files: dict[str, str], expected: list[Row]) -> None:
    assert listed(public_api_javascript.entry_points(Sources.from_mapping(files))) == expected


def test_a_ruby_library_offers_the_public_methods_at_its_top() -> None:
    found = public_api_ruby.entry_points(
        Sources.from_mapping(
            {
                "lib/shop.rb": "module Shop\n  def self.open; end\n  class << self\n    def close; end\n  end\n"
                "  class Cart\n    def self.make; end\n    def total; end\n    class Line\n      def self.no; end\n"
                "    end\n  end\nend\n",
                "lib/till.rb": "class Till\n  def initialize; end\n  def ring; end\n  private\n  def coin; end\nend\n",
                "lib/sums.rb": "module Sums\n  module_function\n  def add(a); end\nend\n",
                "spec/shop_spec.rb": "module Never\n  def self.x; end\nend\n",
            }
        )
    )
    assert listed(found) == [
        ("Shop.open", "lib/shop.rb", 2),
        ("Shop.close", "lib/shop.rb", 4),
        ("Shop::Cart.make", "lib/shop.rb", 7),
        ("Sums.add", "lib/sums.rb", 3),
        ("Till#ring", "lib/till.rb", 3),
    ]


@pytest.mark.corpora
def test_rxjs_and_zod_offer_their_operators_and_schemas(corpus_sources: Callable[[str], Sources]) -> None:
    rxjs = {
        name: (path, line) for name, path, line in listed(public_api_javascript.entry_points(corpus_sources("rxjs")))
    }
    assert rxjs["rxjs.map"] == ("src/internal/operators/map.ts", 47)
    assert rxjs["rxjs/ajax.ajax"][0] == "src/internal/ajax/ajax.ts"
    assert not [path for path, _ in rxjs.values() if path is None or not path.startswith("src/")]
    zod = {name: path for name, path, _ in listed(public_api_javascript.entry_points(corpus_sources("zod")))}
    assert zod["zod.object"] == "src/v4/classic/schemas.ts"
    assert len(zod) > 500


@pytest.mark.corpora
def test_clap_offers_its_builders(corpus_sources: Callable[[str], Sources]) -> None:
    found = {name: path for name, path, _ in listed(public_api_rust.entry_points(corpus_sources("clap")))}
    assert found["clap::Command::subcommand"] == "src/builder/command.rs"
    assert "clap::crate_version!" in found


def test_rake_tasks_alone_do_not_make_a_library_an_application() -> None:
    found = read_surface(
        Sources.from_mapping({"Rakefile": "task :x\n", "lib/shop.rb": "module Shop\n  def self.open; end\nend\n"})
    )
    assert [each.label for each in found.entry_points] == ["cli: rake x", "public-api: Shop.open"]
