import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Blobs, Files, Json, Sandbox, TestReport, Tool, ToolOutput, Workspace } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";

/** A real workspace to try tools on. Disposing it removes all that it made. */
export interface Bench extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly blobs: Blobs;
  /** Checks the input as the engine does, then calls the tool. */
  call<I extends Json>(tool: Tool<I>, input: I): Promise<ToolOutput>;
  bytes(path: string): Promise<Buffer>;
  /** What is there now, as text of one character a byte. */
  files(): Promise<Record<string, string>>;
  /** Runs a script in the workspace and gives its output. */
  shell(script: string): Promise<string>;
  /** The same bench with some of the workspace's methods replaced, for faults that real files do not have at will. */
  withWorkspace(methods: Partial<Workspace>): Pick<Bench, "call">;
}

export type BenchOptions = { report?: TestReport; signal?: AbortSignal };

/**
 * Makes benches of one sandbox, since looking for the machine's tools takes a while. `afterAll` is told how to remove what
 * is left when the last one was used.
 */
export function benches(afterAll: (remove: () => Promise<void>) => void) {
  const store = join(tmpdir(), `swarm-tools-${randomUUID()}`);
  const sandbox = localSandbox({ store, isolation: "none" });
  afterAll(() => rm(store, { recursive: true, force: true }));
  return (files: Files = {}, options: BenchOptions = {}) => openBench(sandbox, files, options);
}

async function openBench(sandbox: Sandbox, files: Files, options: BenchOptions): Promise<Bench> {
  const { report = { tests: [], fault: null }, signal = new AbortController().signal } = options;
  const snapshot = await sandbox.snapshots.put({ files });
  const workspace = await sandbox.open({ snapshot, lane: "test" }, { signal });

  const callOn = (workspace: Workspace): Bench["call"] => {
    const context = { workspace, callId: "call", signal, test: async () => report };
    return (tool, input) => tool.call(tool.input.parse(input), context);
  };
  const bytes = async (path: string) => Buffer.from(await workspace.read(path));

  return {
    workspace,
    blobs: sandbox.blobs,
    call: callOn(workspace),
    bytes,
    async files() {
      const entries = (await workspace.list(".", { recursive: true })).filter(({ kind }) => kind === "file");
      const texts = entries.map(async ({ path }) => [path, (await bytes(path)).toString("latin1")] as const);
      return Object.fromEntries(await Promise.all(texts));
    },
    async shell(script) {
      return (await workspace.exec(["sh", "-c", script], { signal, timeoutMs: 10_000 })).output;
    },
    withWorkspace(methods) {
      return { call: callOn({ ...methodsOf(workspace), ...methods }) };
    },
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** A class instance's methods as a plain object's, so that some of them can be replaced. */
function methodsOf(workspace: Workspace): Workspace {
  return {
    root: workspace.root,
    list: (...args) => workspace.list(...args),
    read: (...args) => workspace.read(...args),
    write: (...args) => workspace.write(...args),
    remove: (...args) => workspace.remove(...args),
    exec: (...args) => workspace.exec(...args),
    snapshot: (...args) => workspace.snapshot(...args),
    restore: (...args) => workspace.restore(...args),
    [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose](),
  };
}
