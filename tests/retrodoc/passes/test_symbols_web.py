"""A call of JavaScript or TypeScript is followed as Node and TypeScript resolve it, and nowhere else."""

from __future__ import annotations

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.passes.symbols import SymbolIndex
from retrodoc.surface.javascript.modules import Modules

SERVICE = "export class ArticleService {\n  findAll() { return this.list(); }\n  list() { return []; }\n}\n"
FILES = {
    "src/article/article.service.ts": SERVICE,
    "src/article/article.helper.ts": "export function slugOf(title: string) { return title; }\n",
    "src/article/index.ts": "export * from './article.service';\nexport { slugOf as toSlug } from './article.helper'\n",
    "src/old/article.service.ts": SERVICE,
    "src/old/helper.ts": "export function slugOf(title: string) { return title; }\n",
    "src/shared/text.ts": "export function trimmed(text) { return text; }\nexport default function shout() {}\n",
    "src/slugify.ts": "export default function slugify(text: string) { return text; }\nexport function deburr() {}\n",
    "src/mail/mail.service.js": "exports.sendWelcome = async (to) => to;\n",
    "src/mail/index.js": "module.exports.mailService = require('./mail.service');\n",
    "src/jobs/queue.js": "class Queue {\n  enqueue(job) { return job; }\n}\nmodule.exports = new Queue();\n",
    "src/base.ts": "export class Base {\n  audit() {}\n}\n",
    "lib/base.ts": "export class Base {\n  audit() {}\n}\n",
    "tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@app/*": ["src/*"]}}}',
    "src/controller.ts": """
import { ArticleService } from './article/article.service';
import { slugOf } from './article/article.helper.js';
import { ArticleService as Listed, toSlug } from './article';
import { trimmed } from '@app/shared/text';
import shout from 'src/shared/text';
import slugify, { deburr } from 'slugify';
import { Repository } from 'typeorm';
import { Base } from './base';
import * as text from './shared/text';
const { mailService } = require('./mail');
const queue = require('./jobs/queue');
const sendTo = require('elsewhere');

export class ArticleController extends Base {
  private readonly fallback = new ArticleService();
  constructor(private readonly articles: ArticleService, private rows: Repository<Article>) {}

  show(given: ArticleService, articleRepository: Repository<Article>, other, trimmed2) {
    this.articles.findAll();
    this.fallback.list();
    this.rows.enqueue();
    given.findAll();
    articleRepository.findAll();
    other.findAll();
    slugOf('x');
    toSlug('x');
    trimmed('x');
    shout();
    slugify('x');
    deburr();
    new Listed().list();
    text.trimmed('y');
    text.missing('y');
    mailService.sendWelcome('x');
    queue.enqueue('x');
    sendTo.enqueue('x');
    trimmed2('x');
    this.audit();
    this.nothing();
  }
}
""",
    "src/browser.js": "function paintAll() {\n  onlyHere();\n}\nfunction shadowed(onlyHere) {\n  onlyHere();\n}\n",
    "src/globals.js": "function onlyHere() {}\n",
}


@pytest.fixture(scope="module")
def index() -> SymbolIndex:
    return SymbolIndex(Sources.from_mapping(FILES))


@pytest.mark.parametrize(
    ("method", "called", "receiver", "place"),
    [
        ("show", "findAll", "this.articles", "src/article/article.service.ts:ArticleService.findAll"),
        ("show", "list", "this.fallback", "src/article/article.service.ts:ArticleService.list"),
        ("show", "enqueue", "this.rows", None),
        ("show", "findAll", "given", "src/article/article.service.ts:ArticleService.findAll"),
        ("show", "findAll", "articleRepository", None),
        ("show", "findAll", "other", None),
        ("show", "slugOf", "", "src/article/article.helper.ts:slugOf"),
        ("show", "toSlug", "", "src/article/article.helper.ts:slugOf"),
        ("show", "trimmed", "", "src/shared/text.ts:trimmed"),
        ("show", "shout", "", "src/shared/text.ts:shout"),
        ("show", "slugify", "", None),
        ("show", "deburr", "", None),
        ("show", "list", "new Listed()", "src/article/article.service.ts:ArticleService.list"),
        ("show", "Listed", "", "src/article/article.service.ts:ArticleService"),
        ("show", "trimmed", "text", "src/shared/text.ts:trimmed"),
        ("show", "missing", "text", None),
        ("show", "sendWelcome", "mailService", "src/mail/mail.service.js:sendWelcome"),
        ("show", "enqueue", "queue", "src/jobs/queue.js:Queue.enqueue"),
        ("show", "enqueue", "sendTo", None),
        ("show", "trimmed2", "", None),
        ("show", "audit", "this", "src/base.ts:Base.audit"),
        ("show", "nothing", "this", None),
        ("findAll", "list", "this", "src/article/article.service.ts:ArticleService.list"),
        ("paintAll", "onlyHere", "", "src/globals.js:onlyHere"),
        ("shadowed", "onlyHere", "", None),
    ],
)
def test_what_a_call_means(index: SymbolIndex, method: str, called: str, receiver: str, place: str | None) -> None:
    caller = index.named(method)[0]
    inside = caller.definition
    call = next(
        call
        for call in index.sources.syntax(caller.path).calls
        if call.name == called and call.receiver == receiver and inside.start_byte <= call.start_byte < inside.end_byte
    )
    found = index.resolve(call, caller.path, caller)
    assert (f"{found.path}:{found.definition.qualified_name}" if found else None) == place


@pytest.mark.parametrize(
    ("specifier", "files", "expected"),
    [
        ("./user.service", ["app/user.service.ts"], "app/user.service.ts"),
        ("./user.service.js", ["app/user.service.ts"], "app/user.service.ts"),
        ("./user.service.mjs", ["app/user.service.mts"], "app/user.service.mts"),
        ("./view.jsx", ["app/view.tsx"], "app/view.tsx"),
        ("./user.js", ["app/user.js.ts", "app/user.ts"], "app/user.ts"),
        ("./user.v2", ["app/user.js", "app/user.v2/index.js"], "app/user.v2/index.js"),
        ("./user", ["app/user/index.ts", "app/user.tsx"], "app/user.tsx"),
        ("./user/", ["app/user/index.ts", "app/user.ts"], "app/user/index.ts"),
        (".", ["app/index.js", "app.js"], "app/index.js"),
        ("..", ["index.ts"], "index.ts"),
        ("./user.config", ["app/user.ts", "config.ts"], None),
        ("./style.css", ["app/style.ts"], None),
        ("user.service", ["app/user.service.ts"], None),
    ],
)
def test_which_file_an_import_means(specifier: str, files: list[str], expected: str | None) -> None:
    sources = Sources.from_mapping(dict.fromkeys([*files, "app/main.ts"], "export const x = 1;\n"))
    assert Modules(sources).resolve(specifier, "app/main.ts") == expected
