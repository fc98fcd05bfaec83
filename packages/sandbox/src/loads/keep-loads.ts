import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Loaded, PathError } from "@swarm/core";
import { readRegularFile } from "../files/open-file.ts";
import type { Place } from "../isolation/isolation.ts";
import { nodeHook, pythonHook } from "./hooks.ts";

/** Account of the files in the workspace that one command loads as its code. */
export type Loads = {
  /** Folder of the host with the hooks, to read only. */
  hooks: string;
  /** File of the host that they write into. */
  records: string;
  /** The variables of the command by which its interpreters, and those that it starts, find the hooks. */
  env: Record<string, string>;
  /** What was loaded, once the command is gone. Null where more was written than is read. Removes the account. */
  take(): Loaded | null;
};

/** Bytes of an account that are read. */
const LIMIT = 16 * 1024 * 1024;

/**
 * Opens an account beside the workspace. `seen` is what the command sees of `place.base`, and `env` its variables, which may
 * have settings of the interpreters' own.
 */
export function keepLoads(place: Place, seen: string, env: Readonly<Record<string, string>>): Loads {
  const folder = mkdtempSync(join(place.base, "loads-"));
  const [hooks, records] = [join(folder, "hooks"), join(folder, "records")];
  const inside = (path: string) => seen + path.slice(place.base.length);
  const nonce = randomBytes(16).toString("hex");
  const told = { records: inside(records), root: `${inside(place.workspace)}/`, nonce };
  mkdirSync(hooks);
  writeFileSync(join(hooks, "sitecustomize.py"), pythonHook(told));
  writeFileSync(join(hooks, "hook.mjs"), nodeHook(told));
  writeFileSync(records, "");
  const nodeOption = `--import=${pathToFileURL(join(inside(hooks), "hook.mjs")).href}`;
  return {
    hooks,
    records,
    env: {
      PYTHONPATH: [inside(hooks), env["PYTHONPATH"]].filter(Boolean).join(":"),
      NODE_OPTIONS: [env["NODE_OPTIONS"], nodeOption].filter(Boolean).join(" "),
    },
    take() {
      try {
        const written = readRegularFile(records, "records", LIMIT);
        return written && loadedIn(written.bytes.toString(), nonce);
      } catch (error) {
        if (error instanceof PathError) return null; // more than is read: a part could be taken for the whole
        throw error;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Lines without the nonce are none of a hook's. */
function loadedIn(text: string, nonce: string): Loaded {
  const lines = [...text.matchAll(/^([0-9a-f]{32}) ([0-9a-f]{64}) (.+)$/gm)].filter(([, said]) => said === nonce);
  return Object.fromEntries(lines.map(([, , digest, path]) => [path, digest]));
}
