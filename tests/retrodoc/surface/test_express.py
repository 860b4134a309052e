"""Routes of JavaScript servers: a router is followed to where it is mounted, and a handler to where it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface.frameworks.express import entry_points
from retrodoc_runs.models import EntryPoint

DATA = Path(__file__).parent / "data"
EXPRESS = "const express = require('express');\nconst app = express();\n"


def found_in(files: dict[str, str]) -> list[EntryPoint]:
    return list(entry_points(Sources.from_mapping(files)))


def listed(found: Iterable[EntryPoint]) -> list[str]:
    return [f"{each.method or 'ANY'} {each.path}" for each in found]


def handlers(found: Iterable[EntryPoint]) -> list[tuple[str, str | None, int | None]]:
    return [(each.handler.symbol, each.handler.path, each.handler.start_line) for each in found]


STATEMENTS = [
    ("app.get('/a', h)", ["GET /a"]),
    ("app.del('/a', h); app.all('/b', h)", ["DELETE /a", "ANY /b"]),
    ("app.get(['/a', '/b'], h)", ["GET /a", "GET /b"]),
    ("app.get(/^\\/a(b)?$/, h)", ["GET /^\\/a(b)?$/"]),
    ("app.route('/a').get(h).post(h)", ["GET /a", "POST /a"]),
    ("app.get('/a', h).post('/b', h)", ["GET /a", "POST /b"]),
    ("app.get('env')", []),
    ("app.get(computed(), h)", []),
    ("const at = '/a'; app.get(at + '/b', h); app.get(`${at}/:id`, h)", ["GET /a/b", "GET /a/:id"]),
    ("app.get(`/${config.base}/a`, h)", ["GET /${config.base}/a"]),
    ("app.get(`/${config.getOrThrow('api.base', { infer: true })}/a`, h)", ["GET /${api.base}/a"]),
    ("for (const p of ['/a', '/b']) app.get(p, h)", ["GET /a", "GET /b"]),
    ("['/a', '/b'].forEach(p => app.get(p, h))", ["GET /a", "GET /b"]),
    ("const r = express.Router(); r.get('/', h); r.get('/b', h); app.use('/a', r)", ["GET /a", "GET /a/b"]),
    ("const r = express.Router(); r.get('/b', h); app.use(r); app.use('/v2', r)", ["GET /b", "GET /v2/b"]),
    ("const r = express.Router(); r.get('/b', h); app.use(['/x', '/y'], check, r)", ["GET /x/b", "GET /y/b"]),
    ("const r = new express.Router(); r.get('/b', h); app.use('/a/', [check, r])", ["GET /a/b"]),
    ("const r = express.Router(); r.get('/b', h); app.use(config.base, r)", ["GET ${config.base}/b"]),
    ("const r = express.Router(); r.get('/b', h)", ["GET /b"]),
    ("const s = express(); s.get('/b', h); app.use(vhost('x.example', s))", ["GET /b"]),
    ("let add = app.get; if (x) add = app.post; add.call(app, '/a', h)", ["GET /a", "POST /a"]),
    ("const client = require('axios'); client.get('/a', h)", []),
    ("const cache = new Map(); cache.get('/a', h)", []),
    ("function make() { const r = express.Router(); r.get('/b', h); return r } app.use('/a', make())", ["GET /a/b"]),
    ("function add(server) { server.get('/b', h) } add(app)", ["GET /b"]),
    (
        "const a = express.Router(), b = express.Router(); a.get('/1', h); b.get('/2', h);"
        "[{ at: '/a', to: a }, { at: '/b', to: b }].forEach((each) => { app.use(each.at, each.to) })",
        ["GET /a/1", "GET /b/2"],
    ),
    ("const r = express.Router().use('/a', express.Router().get('/b', h)); app.use('/x', r)", ["GET /x/a/b"]),
    ("const up = (server = app) => { server.get('/b', h) }; up()", ["GET /b"]),
    ("exports.hook = (name, args) => { args.app.get('/b', h) }", ["GET /b"]),
    ("module.exports = function (router) { router.get('/b', h) }", ["GET /b"]),
    ("define(['app'], function (app) { app.get('/b', h) })", []),
    ("module.exports = function (app) { app.post('/b', { x: 1 }) }", []),
    ("module.exports = function (api) { api.get('/b', h) }", []),
    ("module.exports = function (store) { store.get('/b', h) }", []),
    ("app.mountLater('/a', () => { const r = express.Router(); r.get('/b', h); return r })", ["GET /a/b"]),
    ("const { ApiRouter } = require('pkg'); const r = new ApiRouter(); r.get('/b', h); app.use('/a', r)", ["GET /a/b"]),
    ("const { ApiRouter } = require('pkg'); const r = new ApiRouter(); r.get('/b', h)", ["GET /b"]),
    ("const { useRouter } = require('pkg'); const r = useRouter(); r.get('/b', h)", []),
    ("const { ApiRouter } = require('pkg'); const r = new ApiRouter(); r.get('/b', { x: 1 })", []),
    ("const r = express.Router(); r.use('/x', r); r.get('/b', h); app.use('/a', r)", ["GET /a/b"]),
]


@pytest.mark.parametrize(("text", "expected"), STATEMENTS, ids=[text for text, _ in STATEMENTS])
def test_a_statement_declares_these_routes(text: str, expected: list[str]) -> None:
    found = found_in({"server.js": f"{EXPRESS}function h() {{}}\n{text}\n"})
    assert sorted(listed(found)) == sorted(expected)


HANDLERS = [
    ("app.get('/', list)", ("list", "server.js", 3)),
    ("app.get('/', check, list)", ("list", "server.js", 3)),
    ("app.get('/', list, onError)", ("list", "server.js", 3)),
    ("app.get('/', list, pkg.errorHandler)", ("list", "server.js", 3)),
    ("app.get('/', [check, list])", ("list", "server.js", 3)),
    ("app.get('/', wrap(list))", ("list", "server.js", 3)),
    ("const safe = wrapped(list); app.get('/', safe)", ("safe", "server.js", 3)),
    ("const safe = wrap(list); app.get('/', safe)", ("safe", "server.js", 3)),
    ("app.get('/', guard('x'))", ("anonymous", "server.js", 9)),
    ("app.get('/', pkg.jwt({ secret: 1 }))", ("pkg.jwt({ secret: 1 })", None, None)),
    ("app.get('/', made('x'))", ("made", "server.js", 10)),
    ("app.get('/', list.bind(null))", ("list", "server.js", 3)),
    ("app.get('/', (req, res) => {\n})", ("anonymous", "server.js", 11)),
    ("app.get('/', function show(req, res) {\n})", ("show", "server.js", 11)),
    ("app.get('/', things.all)", ("things.all", "things.js", 2)),
    ("app.get('/', things.nested.one)", ("things.nested.one", "things.js", 4)),
    ("app.get('/', things.later)", ("things.later", "things.js", 7)),
    ("app.get('/', pkg.show)", ("pkg.show", None, None)),
    ("app.get('/', new Shop().open)", ("Shop.open", "things.js", 9)),
    ("app.get('/', shop.close)", ("shop.close", "things.js", 10)),
]
SERVER = f"""{EXPRESS}function list(req, res) {{}}
function check(req, res, next) {{}}
function onError(err, req, res, next) {{}}
const pkg = require('pkg'), things = require('./things'), {{ Shop }} = things;
const shop = new Shop(), wrap = require('wrap');
const wrapped = (fn) => (req, res) => fn(req, res);
const guard = (role) => (req, res, next) => next();
const made = (role) => pkg.jwt(role);
"""
THINGS = """const handlers = {
  all(req, res) {},
  nested: {
    one: async function (req, res) {},
  },
};
handlers.later = (req, res) => {};
class Shop {
  open(req, res) {}
  close = (req, res) => {};
}
module.exports = handlers;
module.exports.Shop = Shop;
"""


@pytest.mark.parametrize(("text", "expected"), HANDLERS, ids=[text for text, _ in HANDLERS])
def test_a_handler_is_followed_to_the_function(text: str, expected: tuple[str, str | None, int | None]) -> None:
    found = found_in({"server.js": SERVER + text + "\n", "things.js": THINGS})
    assert handlers(found) == [expected]


def test_routers_are_followed_through_modules_classes_and_typescript() -> None:
    found = found_in(
        {
            "src/index.ts": "import express from 'express';\nimport { users } from '@/users';\n"
            "import Orders from './orders.js';\nimport register from './register';\n"
            "class App {\n  public app: express.Application;\n  constructor() {\n    this.app = express();\n"
            "    this.app.use('/users', users);\n    this.app.use('/orders', new Orders().router);\n"
            "    register(this.app);\n  }\n}\nexport default new App();\n",
            "src/users.ts": "import { Router } from 'express';\nexport const users = Router();\n"
            "users.get('/:id', async (req, res): Promise<void> => {});\n",
            "src/orders.ts": "import { Router } from 'express';\nexport default class Orders {\n  router = Router();\n"
            "  constructor() {\n    this.router.post('/', this.create);\n  }\n  private create = async () => {};\n}\n",
            "src/register.ts": "import type { Express } from 'express';\nexport default (server: Express) => {\n"
            "  server.get('/health', () => {});\n};\n",
            "tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"]},},} // done\n',
            "test/app.test.ts": "import express from 'express';\nexpress().get('/never', () => {});\n",
        }
    )
    assert sorted(listed(found)) == ["GET /health", "GET /users/:id", "POST /orders"]
    assert {each.handler.path for each in found} == {"src/users.ts", "src/orders.ts", "src/register.ts"}


def test_what_is_passed_along_with_a_router_is_known_too() -> None:
    found = found_in(
        {
            "server.js": EXPRESS + "require('./routes')(app, '/admin', require('./handlers'));\n",
            "routes.js": "module.exports = (app, at, handlers) => { app.get(`${at}/x`, handlers.show) };\n",
            "handlers.js": "exports.show = (req, res) => {};\n",
        }
    )
    assert listed(found) == ["GET /admin/x"]
    assert handlers(found) == [("handlers.show", "handlers.js", 1)]


def test_fastifys_autoload_prefixes_by_folder() -> None:
    found = found_in(
        {
            "src/app.js": "const f = require('fastify')();\n"
            "f.register(require('@fastify/autoload'), { dir: path.join(__dirname, 'routes') });\n",
            "src/routes/home.js": "module.exports = async (fastify) => { fastify.get('/', () => {}) };\n",
            "src/routes/api/tasks/index.js": "export default async function (fastify) {\n"
            "  fastify.get('/:id', () => {});\n}\n",
        }
    )
    assert sorted(listed(found)) == ["GET /", "GET /api/tasks/:id"]


CYCLES = [
    "const a = { ...a, ...b }, b = { ...a }; app.get(a.x, a.y)",
    "class A extends B {} class B extends A {} app.get(new A().x, A.y)",
    "const f = () => g(), g = () => f(); app.use(f())",
    "let r = r2, r2 = r; r.get('/x', r)",
    "module.exports = require('./server'); app.get(module.exports.x, h)",
    "const { a } = a; app.use(a, a)",
]


@pytest.mark.parametrize("text", CYCLES)
def test_what_refers_to_itself_ends(text: str) -> None:
    assert listed(found_in({"server.js": f"{EXPRESS}{text}\n"})) == []


def test_one_factory_gives_each_caller_a_router_of_its_own() -> None:
    found = found_in(
        {
            "make.js": "const express = require('express');\n"
            "module.exports = () => { const app = express(); app.get('/up', h); return app; };\n",
            "a.js": "const make = require('./make');\nconst app = make();\napp.get('/x', h);\nmodule.exports = app;\n",
            "b.js": "const make = require('./make');\nconst app = make();\napp.get('/y', h);\nmodule.exports = app;\n",
            "index.js": "const app = require('express')();\n"
            "app.use('/a', require('./a'));\napp.use('/b', require('./b'));\n",
        }
    )
    assert sorted(listed(found)) == ["GET /a/up", "GET /a/x", "GET /b/up", "GET /b/y"]


OTHERS = [
    (
        "const Router = require('@koa/router');\nconst r = new Router({ prefix: '/a' });\nr.get('/b', h);\n"
        "const top = new Router();\ntop.use('/v1', r.routes(), r.allowedMethods());\napp.use(top.routes());",
        [("koa", "GET /v1/a/b")],
    ),
    (
        "const f = require('fastify')();\nf.get('/a', { schema: {} }, h);\nf.route({ method: ['GET', 'HEAD'], "
        "url: '/b', handler: h });\nf.register(async (child) => { child.post('/c', h) }, { prefix: '/v1' });",
        [("fastify", "GET /a"), ("fastify", "GET /b"), ("fastify", "HEAD /b"), ("fastify", "POST /v1/c")],
    ),
    (
        "const mount = require('koa-mount');\nconst Koa = require('koa');\n"
        "const top = new Koa();\nconst api = new Koa();\n"
        "const r = new (require('koa-router'))();\nr.get('b', h);\napi.use(r.routes());\ntop.use(mount('/a', api));",
        [("koa", "GET /a/b")],
    ),
    (
        "const s = require('@hapi/hapi').server();\ns.route([{ method: 'GET', path: '/a/{id}', handler: h }]);",
        [("hapi", "GET /a/{id}")],
    ),
]


@pytest.mark.parametrize(("text", "expected"), OTHERS, ids=["koa", "fastify", "koa-mount", "hapi"])
def test_other_routers_are_read_as_well(text: str, expected: list[tuple[str, str]]) -> None:
    found = found_in({"server.js": f"function h() {{}}\n{text}\n"})
    assert [(each.framework, f"{each.method} {each.path}") for each in found] == expected
    assert {each.handler.start_line for each in found} == {1}


@pytest.mark.corpora
def test_node_reds_editor_api_has_the_routes_that_express_has(corpus_sources: Callable[[str], Sources]) -> None:
    """The list was read from the router stacks of the running package, not from this program."""
    found = list(entry_points(corpus_sources("node-red-editor-api")))
    real = {tuple(line.split("\t")) for line in (DATA / "node_red_routes.txt").read_text().splitlines()[1:]}
    assert {(each.method, each.path) for each in found} == real
    assert [each.path for each in found if each.handler.start_line is None] == []
    place = {(each.method, each.path): (each.handler.path, each.handler.start_line) for each in found}
    assert place["GET", "/flows"] == ("lib/admin/flows.js", 24)
    assert place["POST", "/settings/user/keys"] == ("lib/editor/sshkeys.js", 59)
    assert place["GET", "/icons/:module/:icon"] == ("lib/editor/ui.js", 53)


@pytest.mark.corpora
def test_ghosts_routers_are_joined_across_files(corpus_sources: Callable[[str], Sources]) -> None:
    """192 routes stand in the file of its admin API, and each leads to a controller."""
    found = list(entry_points(corpus_sources("ghost")))
    admin = [each for each in found if each.declared and each.declared.path.endswith("endpoints/admin/routes.js")]
    assert len(admin) == 192
    assert all(each.path is not None and each.path.startswith("/ghost/api/admin/") for each in admin)
    assert all(each.handler.path for each in admin)
    place = {(each.method, each.path): (each.handler.path, each.handler.start_line) for each in found}
    assert place["GET", "/ghost/api/admin/posts"] == ("core/server/api/endpoints/posts.js", 50)
    assert ("POST", "/members/webhooks/stripe") in place
