"""What is told of JavaScript and TypeScript: what runs, by whom it is reached, and nothing that only declares."""

from __future__ import annotations

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.passes.outline import Outliner
from retrodoc.passes.symbols import SymbolIndex
from retrodoc.surface import read_surface
from retrodoc_checks import FileIndex, check_step
from retrodoc_runs.snapshot import MemorySnapshot

NEST = {
    "src/orders/orders.controller.ts": """
import { Body, Controller, Get, Param, Post, UseGuards } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { OrdersService } from './orders.service';
import { SignedIn } from './signed-in.guard';

@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @ApiOperation({ summary: 'Take an order' })
  @UseGuards(SignedIn, new Hours('day'), Rights.TAKE)
  @Post()
  async create(@User('id') waiter: number, @Body('orders') given: string) {
    if (!given) throw new EmptyOrder('nothing ordered');
    return await this.orders.create(waiter, given);
  }

  @Get(':table/bill')
  bill(@Param('table') table: string) {
    const today = new Date();
    today.setDate(1);
    if (!table) return this.orders.wholeHouse();
    return this.orders.billOf(table).then(due => due.rounded());
  }
}
""",
    "src/orders/orders.service.ts": """
export class OrdersService {
  create(waiter: number, given: string) {
    return this.store.insertOrder(waiter, given);
  }
}
""",
}
EXPRESS = {
    "app.js": """
const express = require('express');
const app = express();
const tables = require('./tables');
const bills = require('./bills');
const { signedIn, may } = require('./rights');
const rights = require('./rights');
const docs = require('swagger-ui-express');

app.get('/tables/:id', async (req, res) => {
  res.json(await tables.seatsOf(req.params.id));
});
app.post(
  '/tables/:id/seats',
  (req, res) => {
    const totp = checked(new TOTP(req.body.code));
    if (totp.wrong) console.log(err); else count(err);
    return tables.seat(req.params.id, 'window');
  },
);
app.delete('/bills/:id', signedIn, may('delete bills'), bills.drop, rights.errorHandler);
app.put('/bills/:id', [bills.owned], async (req, res) => {
  await tables.pay(req.params.id);
});
app.get('/docs', docs.setup({ explorer: true }));
app.route('/bills').get(bills.list).post(bills.open);
app.get('/', (req, res) => res.send('up'));

function warm(kitchen) {
  kitchen.warm();
}

function cool(kitchen) {
  kitchen.cool();
}
""",
    "bills.js": """
const safely = require('./safely');
exports.list = safely(async (req, res) => {
  res.json(await tables.list('open').where('day'));
});
exports.owned = (req, res, next) => next();
exports.drop = (req, res) => tables.drop(req.params.id);
exports.open = safely(async (req, res) => {
  await tables.open('now');
});
""",
    "safely.js": "module.exports = (work) => (req, res, next) => work(req, res).catch(next);\n",
    "tables.js": "exports.seatsOf = (id) => id;\nexports.seat = (id) => id;\n",
}


NEXT = {
    "package.json": '{"dependencies": {"next": "15"}}',
    "app/hats/page.tsx": """
import { Rack } from './rack';
import { hatsOf } from '../../lib/hats';

export default async function HatsPage() {
  const hats = await hatsOf('today');
  return (
    <main>
      <h1>Hats</h1>
      <Rack hats={hats} />
    </main>
  );
}
""",
    "app/hats/rack.tsx": "export function Rack() { return <ul />; }\n",
    "app/api/hats/route.ts": """
import { hatsOf } from '../../../lib/hats';

export async function GET(request: Request) {
  if (!request.cookies) return refuse('no cookie');
  return Response.json(hatsOf('all'));
}
""",
    "lib/hats.ts": "export const hatsOf = (day: string) => day;\n",
}


def _told(files: dict[str, str], label: str) -> list[str]:
    sources = Sources.from_mapping(files)
    entry = next(entry for entry in read_surface(sources).entry_points if entry.label == label)
    return [step.description for step in Outliner(SymbolIndex(sources)).outline(entry).steps]


@pytest.mark.parametrize(
    ("files", "label", "told"),
    [
        (
            NEST,
            "POST /orders",
            [
                "`create` is reached by `Post`.",
                "`UseGuards` decorates `create` with `SignedIn`, `Hours` and `Rights.TAKE`.",
                '`create` raises `EmptyOrder` with "nothing ordered".',
                "`create` returns what `create` gives on `orders`.",
                "`create` returns what `insertOrder` gives on `store`.",
            ],
        ),
        (
            EXPRESS,
            "GET /tables/:id",
            ['`app.get` routes "/tables/:id".', "`seatsOf` is called on `tables`."],
        ),
        (
            EXPRESS,
            "POST /tables/:id/seats",
            [
                '`app.post` routes "/tables/:id/seats".',
                "`TOTP` is created.",
                "`checked` is called.",
                "What follows depends on `totp` and `wrong`.",
                'What `seat` gives on `tables` with "window" is returned.',
            ],
        ),
        (
            EXPRESS,
            "POST /bills",
            [
                '`open` answers "/bills".',
                '`open` is called on `tables` with "now".',
            ],
        ),
        (
            EXPRESS,
            "GET /bills",
            [
                '`list` answers "/bills".',
                '`list` is called on `tables` with "open".',
                '`where` is called with "day".',
            ],
        ),
        (
            EXPRESS,
            "DELETE /bills/:id",
            [
                '`drop` answers "/bills/:id".',
                "`signedIn` precedes `drop`.",
                '`may` with "delete bills" precedes `drop`.',
                "`drop` calls `drop` on `tables`.",
            ],
        ),
        (
            EXPRESS,
            "PUT /bills/:id",
            ['`app.put` routes "/bills/:id".', "`bills.owned` runs first.", "`pay` is called on `tables`."],
        ),
        (
            NEXT,
            "page: /hats",
            [
                "`HatsPage` is exported as `default`.",
                '`HatsPage` calls `hatsOf` with "today".',
                "`HatsPage` renders `Rack`.",
            ],
        ),
        (
            NEXT,
            "GET /api/hats",
            [
                "`GET` takes `request`.",
                'What `refuse` gives with "no cookie" is returned.',
                '`hatsOf` is called with "all".',
            ],
        ),
        (EXPRESS, "GET /docs", ['`setup` answers "/docs".']),
        (EXPRESS, "GET /", ['`app.get` routes "/".']),
        (
            NEST,
            "GET /orders/:table/bill",
            [
                '`bill` answers ":table/bill".',
                "`bill` returns what `wholeHouse` gives on `orders`.",
                "`bill` calls `billOf` on `orders`.",
                "`bill` calls `rounded` on `due`.",
            ],
        ),
    ],
)
def test_what_an_entry_point_does(files: dict[str, str], label: str, told: list[str]) -> None:
    assert _told(files, label) == told


@pytest.mark.parametrize("files", [NEST, EXPRESS, NEXT])
def test_the_judge_finds_every_step_valid(files: dict[str, str]) -> None:
    sources = Sources.from_mapping(files)
    judged = FileIndex(MemorySnapshot(files))
    outliner = Outliner(SymbolIndex(sources))
    for entry in read_surface(sources).entry_points:
        for step in outliner.outline(entry).steps:
            assert check_step(step.text, step.source_refs, judged).verdict == "valid", step.description
