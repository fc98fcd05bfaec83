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

/** The Python, Rust and Go that the user's PATH leads to, this process's own Node, and what the system has. */
export async function findToolchain(): Promise<Toolchain> {
  const [python, rust, go] = await Promise.all([pythonPrefixes(), rustPrefix(), goPrefix()]);
  const node = dirname(await realpath(process.execPath));
  const folders = new Set<string>();
  for (const folder of [...python, node, ...rust, ...go]) {
    for (const spelling of [folder, await realpath(folder)]) if (!isSystem(spelling)) folders.add(spelling);
  }
  const bin = (prefixes: readonly string[]) => prefixes.slice(0, 1).map((prefix) => join(prefix, "bin"));
  const programs = [...bin(python), node, ...bin(rust), ...bin(go)];
  // The system's folders hold programs of every kind, and must not hide one that the user has of their own.
  const path = [...programs.filter((folder) => !isSystem(folder)), ...programs.filter(isSystem), ...SYSTEM_PATH];
  return { path: [...new Set(path)], folders: outermost([...folders]) };
}

/** A virtual environment's prefix and that of the Python it was made from; none without a working `python3`. */
async function pythonPrefixes(): Promise<string[]> {
  const script = "import json, sys; print(json.dumps([sys.prefix, sys.base_prefix]))";
  const prefixes = await told("python3", ["-I", "-c", script]);
  return prefixes === null ? [] : [...new Set<string>(JSON.parse(prefixes))];
}

/** Where the compiler itself is, which rustup's launchers lead to. */
async function rustPrefix(): Promise<string[]> {
  const prefix = await told("rustc", ["--print", "sysroot"]);
  return prefix === null ? [] : [prefix.trim()];
}

async function goPrefix(): Promise<string[]> {
  const prefix = await told("go", ["env", "GOROOT"]);
  return prefix === null ? [] : [prefix.trim()];
}

/** What a program on the user's PATH answers. Null for none, and for a launcher with nothing behind it. */
async function told(program: string, args: readonly string[]): Promise<string | null> {
  const file = findProgram(program, (process.env["PATH"] ?? "").split(delimiter).filter(Boolean));
  if (file === null) return null;
  try {
    return (await promisify(execFile)(file, args, { timeout: FIND_TIMEOUT_MS })).stdout;
  } catch {
    return null;
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
