/**
 * # The tables
 *
 * What a task *is* and what *becomes* of it lie apart, and where it stands right now is which narrow table it is in:
 *
 * - `task`: what was submitted. Written once; rewritten only when people edit it. Its key grows with every insert, so rows land at the end.
 * - `ready`, `delayed`, `running`: where it stands. Rows are only inserted and deleted, in the order in which they are read.
 * - `state`: what became of it. Absent until something did; then it holds everything about a task that is not in `running`. NULL in `due_at` and
 *   `weight` means "as submitted". A clean first success writes it exactly once, at the end.
 *
 * So a clean run costs four narrow rows inserted and two deleted, all of them beside their neighbours, and no wide row is ever rewritten: a
 * payload of 256 KiB is written once. See `docs/internals/sqlite-ledger.md` for the measurements.
 *
 * `flags` in the waiting tables: 1, a row of `state` exists; 2, it must not be prefetched. A claim of fresh tasks needs no look into `state`.
 *
 * Types and queues are numbers (`stream`, `queue`), states and outcomes are the numbers of `codes.ts`. Public ids compare byte by byte.
 */
export const FIRST_LEDGER = `
CREATE TABLE queue (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE stream (
  id INTEGER PRIMARY KEY,
  queue INTEGER NOT NULL,
  type TEXT NOT NULL,
  UNIQUE (queue, type)
) STRICT;

CREATE TABLE task (
  key INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL,
  weight INTEGER NOT NULL,
  id TEXT NOT NULL,
  name TEXT,
  payload TEXT NOT NULL,
  overrides TEXT,
  request_id TEXT NOT NULL,
  rerun_of TEXT,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  seq INTEGER,
  since INTEGER
) STRICT;
CREATE UNIQUE INDEX task_id ON task (id);

CREATE TABLE ready (
  stream INTEGER NOT NULL,
  weight INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  since INTEGER NOT NULL,
  key INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  PRIMARY KEY (stream, weight, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE delayed (
  queue INTEGER NOT NULL,
  express INTEGER NOT NULL,
  due INTEGER NOT NULL,
  key INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  weight INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  PRIMARY KEY (queue, express, due, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE running (
  key INTEGER PRIMARY KEY,
  node INTEGER NOT NULL,
  claim_no INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  weight INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  version INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  since INTEGER NOT NULL,
  claimed_at INTEGER NOT NULL,
  started_at INTEGER,
  updated_at INTEGER NOT NULL,
  progress TEXT
) STRICT;

CREATE TABLE state (
  key INTEGER PRIMARY KEY,
  state INTEGER NOT NULL DEFAULT 0,
  weight INTEGER,
  due_at INTEGER,
  seq INTEGER,
  since INTEGER,
  fence INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  attempt INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  losses INTEGER NOT NULL DEFAULT 0,
  no_prefetch INTEGER NOT NULL DEFAULT 0,
  node INTEGER,
  claimed_at INTEGER,
  started_at INTEGER,
  ended_at INTEGER,
  updated_at INTEGER NOT NULL,
  last_outcome INTEGER,
  end_reason INTEGER,
  last_error TEXT,
  result TEXT,
  progress TEXT,
  checkpoint TEXT,
  log TEXT
) STRICT;
-- What retention deletes next: succeeded and cancelled ones.
CREATE INDEX state_ended ON state (ended_at) WHERE state IN (2, 4);
-- Dead and cancelled ones are few among many; people look for them first. A query has to say "state > 2" to use it.
CREATE INDEX state_trouble ON state (state) WHERE state > 2;

CREATE TABLE depth (
  stream INTEGER NOT NULL,
  weight INTEGER NOT NULL,
  ready INTEGER NOT NULL,
  delayed INTEGER NOT NULL,
  running INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  dead INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  PRIMARY KEY (stream, weight)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempt (
  key INTEGER NOT NULL,
  serial INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  outcome INTEGER,
  node INTEGER,
  started_at INTEGER,
  ended_at INTEGER,
  error TEXT,
  log TEXT,
  PRIMARY KEY (key, serial)
) STRICT, WITHOUT ROWID;

CREATE TABLE change (
  key INTEGER NOT NULL,
  serial INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (key, serial)
) STRICT, WITHOUT ROWID;

CREATE TABLE remembered (
  id TEXT PRIMARY KEY,
  key INTEGER NOT NULL,
  type TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  ended_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX remembered_ended ON remembered (ended_at, key);

-- A forgotten node keeps its row: history names it.
CREATE TABLE node (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  forgotten INTEGER NOT NULL,
  dead INTEGER NOT NULL,
  label TEXT NOT NULL,
  release TEXT NOT NULL,
  types TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  last_beat INTEGER NOT NULL,
  lease INTEGER NOT NULL,
  boot TEXT,
  namespace TEXT,
  pid INTEGER NOT NULL,
  pid_started TEXT
) STRICT;
CREATE TABLE signal (
  node INTEGER NOT NULL,
  serial INTEGER NOT NULL,
  kind TEXT NOT NULL,
  task TEXT,
  PRIMARY KEY (node, serial)
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  by TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (scope, name, key)
) STRICT, WITHOUT ROWID;

-- The last number given out of each kind; one row.
CREATE TABLE sequence (
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  serial INTEGER NOT NULL
) STRICT;
INSERT INTO sequence VALUES (1, 0, 0, 0);
`;
