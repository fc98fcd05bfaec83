/**
 * Node's own SQLite, loaded when it is first needed: nothing else has to wait for it. Versions of Node that call it experimental
 * say so each time it is loaded; that is nothing that who asks for a list can act on.
 */
export async function loadSqlite(): Promise<typeof import("node:sqlite")> {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: []) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) emitWarning.call(process, warning, ...rest);
  }) as typeof emitWarning;
  try {
    return await import("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
