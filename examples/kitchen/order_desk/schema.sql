CREATE TABLE menu_item (
  code TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  price INTEGER NOT NULL CHECK (price >= 0),
  station TEXT NOT NULL CHECK (station IN ('grill', 'cold', 'bar')),
  daily_portions INTEGER,
  portions_left INTEGER
);

CREATE TABLE dining_table (
  number INTEGER PRIMARY KEY,
  seats INTEGER NOT NULL,
  party INTEGER NOT NULL DEFAULT 0,
  opened_at TEXT
);

CREATE TABLE customer_order (
  id INTEGER PRIMARY KEY,
  table_number INTEGER NOT NULL REFERENCES dining_table (number),
  status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'sent', 'served', 'abandoned')),
  settled INTEGER NOT NULL DEFAULT 0,
  taken_at TEXT NOT NULL
);

CREATE TABLE order_line (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES customer_order (id),
  code TEXT NOT NULL REFERENCES menu_item (code),
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  unit_price INTEGER NOT NULL,
  seat INTEGER NOT NULL,
  note TEXT NOT NULL DEFAULT '',
  voided_because TEXT
);

CREATE TABLE ticket (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES customer_order (id),
  station TEXT NOT NULL CHECK (station IN ('grill', 'cold', 'bar')),
  status TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'cooking', 'ready')),
  sent_at TEXT NOT NULL
);

CREATE TABLE payment (
  id INTEGER PRIMARY KEY,
  table_number INTEGER NOT NULL REFERENCES dining_table (number),
  amount INTEGER NOT NULL CHECK (amount > 0),
  tip INTEGER NOT NULL DEFAULT 0,
  method TEXT NOT NULL CHECK (method IN ('cash', 'card', 'voucher')),
  settled INTEGER NOT NULL DEFAULT 0,
  paid_at TEXT NOT NULL
);

CREATE TABLE day_report (
  day TEXT PRIMARY KEY,
  covers INTEGER NOT NULL,
  revenue INTEGER NOT NULL,
  tips INTEGER NOT NULL,
  abandoned_orders INTEGER NOT NULL
);
