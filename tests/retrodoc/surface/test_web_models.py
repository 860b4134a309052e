"""What JavaScript and TypeScript applications keep in a database: classes of an ORM, schemas, defined models."""

from __future__ import annotations

import pytest

from retrodoc.ingest.sources import Sources
from retrodoc.surface.entities import javascript_schemas, typescript, typescript_models

Row = tuple[str, str | None, tuple[str, ...]]
TYPEORM = """
import { Column, Entity, ManyToOne, PrimaryGeneratedColumn } from 'typeorm';
import { Base } from './base';

@Entity('orders')
export class OrderEntity extends Base {
  static readonly limit = 3;

  @Column()
  state: 'new' | 'paid';

  @ManyToOne(() => Table, (table) => table.orders)
  table: Table;

  total = 0;

  @BeforeInsert()
  stamp() {}
}
"""
BASE = """
import { BaseEntity, PrimaryGeneratedColumn } from 'typeorm';
export abstract class Base extends BaseEntity {
  @PrimaryGeneratedColumn()
  id: number;
}
"""
FIELDS: list[Row] = [("state", "'new' | 'paid'", ("new", "paid")), ("table", "Table", ()), ("id", "number", ())]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (TYPEORM, [("OrderEntity", "typeorm-entity", FIELDS)]),
        (
            "import { Entity, Property } from '@mikro-orm/core';\n"
            "@Entity()\nclass Hat {\n  @Property()\n  size!: number;\n}\n",
            [("Hat", "mikro-orm-entity", [("size", "number", ())])],
        ),
        (
            "import { Table, Column, Model } from 'sequelize-typescript';\n"
            "@Table\nexport class Hat extends Model {\n  @Column\n  size: number;\n}\n",
            [("Hat", "sequelize-model", [("size", "number", ())])],
        ),
        (
            "import { Prop, Schema } from '@nestjs/mongoose';\n@Schema({ timestamps: true })\n"
            "export class Hat {\n  @Prop({ type: String })\n  name: string;\n}\n",
            [("Hat", "mongoose-schema", [("name", "string", ())])],
        ),
        ("import { Entity } from './games';\n@Entity()\nclass Orc {\n  @Health()\n  hp: number;\n}\n", []),
        ("import { Entity } from 'typeorm';\n@Entity()\nclass Empty {\n  size: number;\n}\n", []),
    ],
)
def test_a_decorated_class_is_what_its_orm_keeps(source: str, expected: list[tuple[str, str, list[Row]]]) -> None:
    sources = Sources.from_mapping({"src/order.entity.ts": source, "src/base.ts": BASE})
    found = typescript_models.entities(sources)
    assert [
        (each.name, each.kind, [(field.name, field.type, field.values) for field in each.fields]) for each in found
    ] == expected


SHAPE = "{ name: String, role: { type: String, enum: ['cook', 'waiter'] }, tags: [String], at: { type: Date } }"
ROWS: list[Row] = [
    ("name", "String", ()),
    ("role", "String", ("cook", "waiter")),
    ("tags", "[String]", ()),
    ("at", "Date", ()),
]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            f"const mongoose = require('mongoose');\nconst userSchema = new mongoose.Schema({SHAPE});\n"
            "module.exports = mongoose.model('User', userSchema);\n",
            [("User", "mongoose-schema", ROWS)],
        ),
        (
            f"import {{ Schema, model }} from 'mongoose';\nconst userSchema = new Schema({SHAPE});\n"
            "export const User = model('User', userSchema);\n",
            [("User", "mongoose-schema", ROWS)],
        ),
        (
            f"import mongoose from 'mongoose';\nexport const lineSchema = mongoose.Schema({SHAPE});\n",
            [("lineSchema", "mongoose-schema", ROWS)],
        ),
        (
            "module.exports = (sequelize, DataTypes) => sequelize.define('Hat', {\n"
            "  size: DataTypes.INTEGER,\n  name: { type: DataTypes.STRING, allowNull: false },\n});\n",
            [("Hat", "sequelize-model", [("size", "DataTypes.INTEGER", ()), ("name", "DataTypes.STRING", ())])],
        ),
        (
            "const { Model, DataTypes } = require('sequelize');\nclass Hat extends Model {}\n"
            "Hat.init({ size: DataTypes.INTEGER }, { sequelize });\n",
            [("Hat", "sequelize-model", [("size", "DataTypes.INTEGER", ())])],
        ),
        ("const { Schema } = require('joi');\nconst s = new Schema({ a: String });\n", []),
        ("const mongoose = require('mongoose');\nmongoose.connect('x', { a: String });\n", []),
        ("define('hat', { size: 1 });\nchart.init({ size: 1 });\n", []),
    ],
)
def test_a_schema_that_is_built_is_what_its_library_keeps(
    source: str, expected: list[tuple[str, str, list[Row]]]
) -> None:
    found = javascript_schemas.entities(Sources.from_mapping({"models/user.js": source}))
    assert [
        (each.name, each.kind, [(field.name, field.type, field.values) for field in each.fields]) for each in found
    ] == expected


def test_what_is_added_to_the_types_of_a_package_is_no_entity() -> None:
    source = (
        "declare module 'fastify' {\n  interface FastifyInstance {\n    clock: Clock;\n  }\n}\n"
        "declare global {\n  interface Window {\n    clock: Clock;\n  }\n}\n"
        "export interface ButtonProps {\n  label: string;\n}\n"
        "export interface Clock {\n  hour: number;\n}\n"
        "namespace shop {\n  export interface Shelf {\n    width: number;\n  }\n}\n"
    )
    found = typescript.entities(Sources.from_mapping({"src/clock.tsx": source}))
    assert [each.name for each in found] == ["Clock", "Shelf"]
