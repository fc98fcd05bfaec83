import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../exec/find-program.ts";

/** Where the programs for the commands are. */
export type Toolchain = {
  /** Folders of the sandbox's PATH, in order. */
  path: readonly string[];
  /** Folders outside of the system's own that programs on the PATH need, to be visible at the same place. */
  folders: readonly string[];
};

const SYSTEM_PATH = ["/usr/local/bin", "/usr/bin", "/bin"];
const FIND_TIMEOUT_MS = 10_000;

/** The Python that the user's PATH leads to, this process's own Node, and what the system has. */
export async function findToolchain(): Promise<Toolchain> {
  const python = await pythonPrefixes();
  const node = dirname(await realpath(process.execPath));
  const folders = new Set<string>();
  for (const folder of [...python, node]) {
    for (const spelling of [folder, await realpath(folder)]) if (!isSystem(spelling)) folders.add(spelling);
  }
  const first = python.slice(0, 1).map((prefix) => join(prefix, "bin"));
  return { path: [...new Set([...first, node, ...SYSTEM_PATH])], folders: outermost([...folders]) };
}

/** A virtual environment's prefix and that of the Python it was made from; none without a working `python3`. */
async function pythonPrefixes(): Promise<string[]> {
  const python = findProgram("python3", (process.env["PATH"] ?? "").split(delimiter).filter(Boolean));
  if (python === null) return [];
  const script = "import json, sys; print(json.dumps([sys.prefix, sys.base_prefix]))";
  try {
    const { stdout } = await promisify(execFile)(python, ["-I", "-c", script], { timeout: FIND_TIMEOUT_MS });
    return [...new Set<string>(JSON.parse(stdout))];
  } catch {
    return []; // A launcher without a Python behind it: for commands there is none.
  }
}

function isSystem(folder: string): boolean {
  return folder === "/" || ["/usr", "/bin", "/lib"].some((root) => isIn(folder, root));
}

function outermost(folders: readonly string[]): string[] {
  return folders.filter((folder) => !folders.some((other) => other !== folder && isIn(folder, other)));
}

function isIn(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(`${root}/`);
}
