import { createServer } from "node:net";
import { usageError } from "../parse-command-line.ts";
import { wholeNumber } from "../run/limits.ts";

const HOST = "127.0.0.1";

/** The port that `--port` names, else `usual` where it is free, else one that is. Throws where the one that is named is taken. */
export async function portFrom(text: string | undefined, usual: number): Promise<number> {
  if (text === undefined) return (await boundTo(usual)) ?? (await freePort());
  const port = await boundTo(wholeNumber("--port", text, { min: 1, max: 65_535 }));
  if (port === null) throw usageError("--port", `${text} is taken on ${HOST}; name another one`);
  return port;
}

export async function freePort(): Promise<number> {
  return (await boundTo(0))!;
}

/** The port that a server was bound to for a moment, or null where it is taken. */
function boundTo(port: number): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const server = createServer();
  server.once("error", () => resolve(null));
  server.listen(port, HOST, () => {
    const { port: bound } = server.address() as { port: number };
    server.close(() => resolve(bound));
  });
  return promise;
}
