"""Commands of Rust programs: whole names, and the function that runs each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface.frameworks.clap import entry_points


def commands(files: dict[str, str]) -> dict[str | None, tuple[str, str | None, int | None]]:
    found = entry_points(Sources.from_mapping(files))
    return {each.name: (each.handler.symbol, each.handler.path, each.handler.start_line) for each in found}


CARGO = '[package]\nname = "shop"\n'
BUILT = """use clap::{App, Arg, Command};
fn cli() -> Command {
    Command::new("shop")
        .subcommand_required(true)
        .subcommand(Command::new("list").about("x"))
        .subcommands(vec![order::cli(), named("sell"), Command::new("remote").subcommand(Command::new("add"))])
}
fn named(name: &'static str) -> Command { Command::new(name).about("x") }
fn main() {
    let git = std::process::Command::new("git").arg("status").output();
    match cli().get_matches().subcommand() {
        Some(("list", m)) => list(m).unwrap(),
        Some(("order", m)) => order::exec(m),
        Some(("sell", _)) | Some(("sold", _)) => {
            let a = 1;
            println!("{a}");
        }
        Some(("remote", m)) => match m.subcommand() {
            Some(("add", _)) => {}
            _ => {}
        },
        _ => {}
    }
}
fn list(m: &ArgMatches) -> Result<()> {}
#[cfg(test)]
mod tests { fn t() { Command::new("never").about("x"); } }
"""
ORDER = 'pub fn cli() -> Command { Command::new("order").about("x") }\n\npub fn exec(m: &ArgMatches) {}\n'


def test_built_commands_are_named_by_their_path_and_run_by_what_their_arm_calls() -> None:
    found = commands({"Cargo.toml": CARGO, "src/main.rs": BUILT, "src/order.rs": ORDER})
    assert found == {
        "shop list": ("list", "src/main.rs", 25),
        "shop order": ("order::exec", "src/order.rs", 3),
        "shop sell": ("main", "src/main.rs", 14),
        "shop remote": ("main", "src/main.rs", 18),
        "shop remote add": ("main", "src/main.rs", 19),
    }


DERIVED = """use clap::{Parser, Subcommand};
#[derive(Parser)]
#[command(version)]
struct Cli { #[command(subcommand)] command: Commands, #[command(flatten)] shared: Shared }
#[derive(Subcommand)]
enum Commands {
    AddItem(add::Args),
    #[command(name = "ls", alias = "l")]
    List { all: bool },
    #[command(subcommand)]
    Remote(Remote),
    #[command(flatten)]
    More(More),
    #[command(external_subcommand)]
    Other(Vec<String>),
    Stats(stats::Args),
}
#[derive(Subcommand)]
#[command(rename_all = "snake_case")]
enum Remote { AddOne, Remove }
#[derive(Subcommand)]
enum More { Check }
#[derive(clap::Args)]
struct Shared { verbose: bool }
impl Remote {
    fn run(self) {
        match self {
            Self::AddOne => add_one(),
            Remote::Remove => {}
        }
    }
}
fn add_one() {}
async fn main() -> Result<()> {
    match Cli::parse().command {
        Commands::AddItem(args) => add::execute(args).await.context("x")?,
        Commands::List { all } => Ok(list(all)),
        Commands::Stats(args) => args.run(),
        Commands::Remote(remote) => remote.run(),
        Commands::More(_) => {}
    }
}
fn list(all: bool) {}
"""
MODULES = {
    "src/add.rs": "#[derive(clap::Args)]\npub struct Args { name: String }\npub async fn execute(args: Args) {}\n",
    "src/stats.rs": "#[derive(clap::Args)]\npub struct Args {}\nimpl Args {\n    pub fn run(&self) {}\n}\n",
}


def test_derived_commands_are_named_as_clap_does_and_run_by_what_their_arm_calls() -> None:
    found = commands({"Cargo.toml": CARGO, "src/main.rs": DERIVED, **MODULES})
    assert found == {
        "shop add-item": ("add::execute", "src/add.rs", 3),
        "shop ls": ("list", "src/main.rs", 43),
        "shop remote add_one": ("add_one", "src/main.rs", 33),
        "shop remote remove": ("run", "src/main.rs", 29),
        "shop check": ("More::Check", None, None),
        "shop stats": ("Args::run", "src/stats.rs", 4),
    }


OTHERS = [
    (
        'use clap::Parser;\n#[derive(Parser)]\n#[clap(name = "say")]\nstruct Opt { word: String }\nfn main() {}\n',
        {"say": ("main", "src/main.rs", 5)},
    ),
    (
        "use clap::Parser;\n#[derive(Parser)]\nstruct Opt { #[command(subcommand)] c: Option<C> }\n"
        "#[derive(clap::Subcommand)]\nenum C { Go }\n"
        "fn main() { match o.c { Some(C::Go) => go(), None => {} } }\nfn go() {}\n",
        {"shop": ("main", "src/main.rs", 6), "shop go": ("go", "src/main.rs", 7)},
    ),
    (
        'use structopt::StructOpt;\n#[derive(StructOpt)]\nenum Opt { #[structopt(name = "x")] Run }\nfn main() {}\n',
        {"shop x": ("Opt::Run", None, None)},
    ),
    ('use clap::Arg;\n#[derive(Parser)]\n#[grammar = "a.pest"]\nstruct P;\nfn main() {}\n', {}),
    ('use std::process::Command;\nfn main() { Command::new("git").arg("x").output(); } // not clap\n', {}),
    (
        'use clap::App;\nfn main() {\n    let mut app = App::new("t").version("1");\n'
        '    app = app.subcommand(App::new("u").about("x"));\n}\n',
        {"t": ("main", "src/main.rs", 2), "t u": ("t u", None, None)},
    ),
]


@pytest.mark.parametrize(("text", "expected"), OTHERS)
def test_a_program_has_these_commands(text: str, expected: dict[str, tuple[str, str | None, int | None]]) -> None:
    assert commands({"Cargo.toml": CARGO, "src/main.rs": text}) == expected


BUILTIN = (
    "add bench build check clean config doc fetch fix generate-lockfile git-checkout help init install locate-project "
    "login logout metadata new owner package pkgid publish read-manifest report run rustc rustdoc search test tree "
    "uninstall update vendor verify-project version yank"
)
"""Copied by hand from the list `builtin()` in cargo's `commands/mod.rs`."""


@pytest.mark.corpora
def test_cargo_has_its_subcommands_each_run_by_its_exec(corpus_sources: Callable[[str], Sources]) -> None:
    found = {each.name: each.handler for each in entry_points(corpus_sources("cargo"))}
    for name in BUILTIN.split():
        handler = found[f"cargo {name}"]
        module = name.replace("-", "_")
        assert (handler.symbol, handler.path) == (f"{module}::exec", f"src/bin/cargo/commands/{module}.rs")
    others = {"cargo", "cargo config get", "cargo report future-incompatibilities"}
    assert set(found) == others | {f"cargo {name}" for name in BUILTIN.split()}
