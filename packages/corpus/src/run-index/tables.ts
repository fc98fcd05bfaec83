/** The version of the tables below. An index of another one is thrown away. */
export const VERSION = 2;

/** A log that could not be read has a `problem`, and nothing else. Times are ISO 8601, `usd` is null where it is not known. */
export const TABLES = `
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  file TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  modified REAL NOT NULL,
  problem TEXT,
  runId TEXT, taskId TEXT, team TEXT, teamVersion TEXT, tier TEXT, models TEXT,
  outcome TEXT, passed INTEGER, signature TEXT,
  startedAt TEXT, endedAt TEXT,
  modelCalls INTEGER, toolCalls INTEGER, input INTEGER, output INTEGER, usd REAL, repairs INTEGER,
  diedProgram TEXT, diedStep TEXT
) STRICT;
CREATE INDEX runs_by_start ON runs (startedAt);
CREATE TABLE models (run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, model TEXT NOT NULL) STRICT;
CREATE INDEX models_by_run ON models (run);
CREATE TABLE roles (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  role TEXT NOT NULL, calls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, usd REAL
) STRICT;
CREATE INDEX roles_by_run ON roles (run);
CREATE TABLE failures (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  signature TEXT NOT NULL, faultClass TEXT NOT NULL, program TEXT NOT NULL, times INTEGER NOT NULL
) STRICT;
CREATE INDEX failures_by_run ON failures (run);
`;
