"""Servers whose routes are decorators, attributes or chains of methods, and programs built the same way."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface.frameworks import axum, commander, nest
from retrodoc_runs.models import EntryPoint

Row = tuple[str, str, int | None, int | None]


def listed(found: Iterable[EntryPoint]) -> list[Row]:
    return [(each.label, each.handler.symbol, each.handler.start_line, each.handler.end_line) for each in found]


def test_nest_routes_join_prefix_version_controller_and_method() -> None:
    controller = (
        "import { Controller, Get, Post } from '@nestjs/common';\n@Controller({ path: 'users', version: '1' })\n"
        "export class Users {\n  @Get(':id')\n  @UseGuards(Auth)\n  one(@Param('id') id: string) {\n  }\n"
        "  @Post()\n  create() {}\n  helper() {}\n}\n@Controller()\nclass Home {\n  @Get()\n  show() {}\n"
        "  @Get('up')\n  up() {}\n}\nclass Plain { @Get('no') no() {} }\n"
    )
    main = "app.setGlobalPrefix('api', { exclude: ['/'] });\napp.enableVersioning({ type: VersioningType.URI });\n"
    found = nest.entry_points(Sources.from_mapping({"users.ts": controller, "main.ts": main, "a.spec.ts": controller}))
    assert listed(found) == [
        ("GET /api/v1/users/:id", "Users.one", 4, 7),
        ("POST /api/v1/users", "Users.create", 8, 9),
        ("GET /", "Home.show", 14, 15),
        ("GET /api/up", "Home.up", 16, 17),
    ]


def test_nest_jobs_and_messages_are_found_too() -> None:
    text = (
        "import { Cron } from '@nestjs/schedule';\nclass Tasks {\n  @Cron('0 0 * * *')\n  nightly() {}\n"
        "  @OnEvent('order.paid')\n  paid() {}\n}\n@Processor('mail')\nclass Mail {\n"
        "  @Process('send')\n  send() {}\n}\n"
    )
    assert listed(nest.entry_points(Sources.from_mapping({"a.ts": text}))) == [
        ("job: Tasks.nightly", "Tasks.nightly", 3, 4),
        ("event: order.paid", "Tasks.paid", 5, 6),
        ("job: mail.send", "Mail.send", 10, 11),
    ]


AXUM = """use axum::{routing::{get, post}, Router};
mod users;
fn app() -> Router {
    let api = Router::new().route("/tags", get(tags)).merge(users::router());
    Router::new()
        .nest("/api", api)
        .route("/up", get(|| async { "ok" }))
        .route("/any", any(tags))
}
async fn tags() {}
#[cfg(test)]
mod tests { fn t() { Router::new().route("/never", get(tags)); } }
"""
USERS = """use axum::Router;
pub fn router() -> Router {
    Router::new().route("/users/:id", get(show).delete(remove)).layer(x)
}
async fn show() {}
async fn remove() {}
"""
ACTIX = """use actix_web::{web, App, get};
#[get("/hello/{name}")]
async fn hello() {}
fn config(cfg: &mut web::ServiceConfig) {
    cfg.service(web::scope("/v1").service(web::resource("/x").route(web::post().to(make)))
        .route("/y", web::get().to(make)));
}
async fn make() {}
fn main() {
    App::new().service(web::scope("/api").configure(config)).service(hello).route("/z", web::put().to(make));
}
"""
SERVERS = [
    (
        {"src/main.rs": AXUM, "src/users.rs": USERS},
        [
            ("ANY /any", "tags", 10, 10),
            ("DELETE /api/users/:id", "users::remove", 6, 6),
            ("GET /api/tags", "tags", 10, 10),
            ("GET /api/users/:id", "users::show", 5, 5),
            ("GET /up", "closure", 7, 7),
        ],
    ),
    (
        {"src/main.rs": ACTIX},
        [
            ("GET /api/v1/y", "make", 8, 8),
            ("GET /hello/{name}", "hello", 2, 3),
            ("POST /api/v1/x", "make", 8, 8),
            ("PUT /z", "make", 8, 8),
        ],
    ),
]


@pytest.mark.parametrize(("files", "expected"), SERVERS, ids=["axum", "actix"])
def test_rust_routes_are_joined_through_nests_scopes_and_functions(files: dict[str, str], expected: list[Row]) -> None:
    assert sorted(listed(axum.entry_points(Sources.from_mapping(files)))) == expected


COMMANDER = """const { program, Command } = require('commander');
program.name('x').command('clone <source> [destination]').description('y').action((source) => {});
const remote = program.command('remote');
remote.command('add <name>').action(add);
function add() {}
const own = new Command('own');
own.command('go').action(add);
program.action(add);
other.command('never').action(add);
require('commander').program.command('plain').action(add);
"""
YARGS = """import yargs from 'yargs';
import * as build from './build';
yargs(process.argv).command('serve [port]', 'text', (y) => y, serve).command(build).parse();
function serve(argv) {}
"""


def test_commands_of_javascript_programs() -> None:
    found = commander.entry_points(
        Sources.from_mapping(
            {
                "package.json": '{"name": "@a/tool", "bin": {"tool": "cli.js"}}',
                "cli.js": COMMANDER,
                "more.js": YARGS,
                "build.js": "exports.command = 'build';\nexports.handler = async (argv) => {};\n",
            }
        )
    )
    assert sorted(listed(found)) == [
        ("cli: tool", "add", 5, 5),
        ("cli: tool build", "handler", 2, 2),
        ("cli: tool clone", "anonymous", 2, 2),
        ("cli: tool own go", "add", 5, 5),
        ("cli: tool plain", "add", 5, 5),
        ("cli: tool remote add", "add", 5, 5),
        ("cli: tool serve", "serve", 4, 4),
    ]
