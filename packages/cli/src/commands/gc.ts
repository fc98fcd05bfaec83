import { join, resolve } from "node:path";
import { InvalidInputError } from "@swarm/core";
import { collectGarbage } from "@swarm/sandbox";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { isFolder } from "../kind-of-file.ts";
import { count, formatted } from "../view/words.ts";

/** `swarm gc`: removes the objects that no run needs, or says what it would remove. */
export async function gc({ runs, json, "dry-run": dryRun }: OptionsOf<"gc">, io: CliIO): Promise<number> {
  const folder = resolve(io.cwd, runs);
  if (!isFolder(folder))
    throw new InvalidInputError("--runs", `there is no folder ${folder}; name one that holds logs`);
  const garbage = await collectGarbage({ store: join(folder, "objects"), logs: [folder], dryRun });
  if (json) {
    io.stdout.write(`${JSON.stringify({ ...garbage, dryRun }, null, 2)}\n`);
    return EXIT.ok;
  }
  const { kept, removed, bytes } = garbage;
  const what = `${count(removed, "object")} of ${formatted(bytes)} bytes`;
  io.stdout.write(`${dryRun ? "would remove" : "removed"} ${what}, ${formatted(kept)} kept\n`);
  return EXIT.ok;
}
