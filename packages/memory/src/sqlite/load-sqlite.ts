type Sqlite = typeof import("node:sqlite");

/**
 * Node's own SQLite, loaded when it is first needed. Node 22 warns of it as experimental: users of a memory cannot do anything
 * about that, so this one warning is not shown. Loading is synchronous, so no other code runs meanwhile.
 */
export function loadSqlite(): Sqlite {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes("SQLite is an experimental feature"))
      Reflect.apply(emitWarning, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
