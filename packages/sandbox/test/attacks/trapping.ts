import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PathError, type Workspace } from "@swarm/core";
import { type Attack, ESCAPED, python, type Seen, sh } from "./attack.ts";

const readReport = async (workspace: Workspace) => Buffer.from(await workspace.read("report.txt")).toString();
const wrote = ({ world }: Seen) => lstatSync(join(world.outside, "written"), { throwIfNoEntry: false }) !== undefined;
export const trapping: readonly Attack[] = [
  {
    name: "plant a link for the host to read",
    argv: sh('ln -s "$SECRET_FILE" report.txt'),
    plain: "blocked",
    host: { careful: readReport, careless: ({ folder }) => readFileSync(join(folder, "report.txt"), "utf8") },
  },
  {
    name: "plant a link for the host to write through",
    argv: sh('ln -s "$OUTSIDE/written" report.txt'),
    plain: "blocked",
    host: {
      careful: async (workspace) => String(await workspace.write("report.txt", "x")),
      careless: ({ folder }) => String(writeFileSync(join(folder, "report.txt"), "x")),
    },
    gotThrough: wrote,
  },
  {
    name: "plant a link to a folder for the host to write into",
    argv: sh('ln -s "$OUTSIDE" out'),
    plain: "blocked",
    host: {
      careful: async (workspace) => String(await workspace.write("out/written", "x")),
      careless: ({ folder }) => String(writeFileSync(join(folder, "out/written"), "x")),
    },
    gotThrough: wrote,
  },
  {
    name: "plant a link for the host to remove through",
    argv: sh('ln -s "$OUTSIDE" out'),
    plain: "blocked",
    host: {
      careful: async (workspace) => String(await workspace.remove("out/victim")),
      careless: ({ folder }) => String(rmSync(join(folder, "out/victim"))),
    },
    gotThrough: ({ world }) => lstatSync(join(world.outside, "victim"), { throwIfNoEntry: false }) === undefined,
  },
  {
    name: "put a link in the place of the workspace",
    argv: sh('here=$(pwd -P); cd /; rm -r "$here"; ln -s "$OUTSIDE" "$here"'),
    plain: "blocked",
    host: {
      careful: async (workspace) => String(await workspace.write("written", "x")),
      careless: ({ folder }) => String(writeFileSync(join(folder, "written"), "x")),
    },
    gotThrough: wrote,
  },
  {
    name: "swap a folder and a link while the host writes",
    argv: [
      ...python(`
os.mkdir("a"); os.symlink(env["OUTSIDE"], "b"); os.rename("a", "d")
if os.fork() == 0:
    os.setsid()
    end = time.time() + 30 # or until the folder is removed
    while time.time() < end:
        os.rename("d", "a"); os.rename("b", "d"); os.rename("d", "b"); os.rename("a", "d")
time.sleep(0.1)`),
    ],
    plain: "blocked",
    host: { careful: whileSwapped, careless: ({ folder, world }) => carelesslyWhileSwapped(folder, world.outside) },
    gotThrough: wrote,
  },
  {
    name: "plant a pipe that lets the host wait for ever",
    argv: sh("mkfifo report.txt"),
    plain: "blocked",
    host: {
      careful: readReport,
      careless: ({ folder }) =>
        spawnSync("cat", [join(folder, "report.txt")], { timeout: 300 }).signal === null ? "" : ESCAPED,
    },
  },
  {
    name: "nest folders too deep for the host to list or remove",
    argv: python(`
for n in range(60): os.mkdir("d" * 200); os.chdir("d" * 200)
open("f", "w").close()`),
    plain: "blocked",
    host: {
      async careful(workspace) {
        const refusal = await workspace.snapshot().catch((error: Error) => error);
        return refusal instanceof PathError ? "" : ESCAPED;
      },
      careless: ({ folder }) => {
        try {
          for (let at = folder; lstatSync(at).isDirectory(); ) at = join(at, readdirSync(at)[0] ?? "");
          return "";
        } catch {
          return ESCAPED;
        }
      },
    },
  },
  {
    name: "plant bytecode that is run in place of the source",
    files: { "solution.py": "print('honest')\n", "evil.py": `print("${ESCAPED}")\n` },
    argv: python(`
import importlib.util, py_compile
py_compile.compile("evil.py", importlib.util.cache_from_source("solution.py"),
    invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)`),
    plain: "blocked",
    host: { careful: importFromSnapshot, careless: ({ folder }) => importSolution(folder) },
  },
];

async function whileSwapped(workspace: Workspace): Promise<string> {
  for (let round = 0; round < 50; round += 1) await workspace.write("d/written", "x").catch(() => {});
  return "";
}

function carelesslyWhileSwapped(folder: string, outside: string): string {
  for (const end = Date.now() + 2_000; Date.now() < end && !existsSync(join(outside, "written")); ) {
    try {
      writeFileSync(join(folder, "d/written"), "x");
    } catch {
      // Between two names there is none.
    }
  }
  return "";
}

const IMPORT = ["python3", "-c", "import solution"] as const;

async function importFromSnapshot(workspace: Workspace): Promise<string> {
  const { signal } = new AbortController();
  await workspace.restore(await workspace.snapshot());
  return (await workspace.exec(IMPORT, { signal, timeoutMs: 10_000 })).output;
}

function importSolution(folder: string): string {
  return spawnSync(IMPORT[0], IMPORT.slice(1), { cwd: folder, encoding: "utf8" }).stdout;
}
