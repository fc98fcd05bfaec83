import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { abortReason, InvalidInputError, type Sandbox, SandboxError, untilAborted } from "@swarm/core";
import { bubblewrap, bubblewrapProblem } from "./isolation/bubblewrap.ts";
import { placeIn } from "./isolation/isolation.ts";
import { plainProcess } from "./isolation/plain-process.ts";
import { findToolchain } from "./isolation/toolchain.ts";
import { LocalWorkspace } from "./local-workspace.ts";
import { makeOwnedFolder, removeOwnedFolder } from "./owned/owned-folder.ts";
import { sweep } from "./owned/sweep.ts";
import { snapshotsOf } from "./snapshots/blob-snapshots.ts";
import { directoryBlobs } from "./snapshots/directory-blobs.ts";
import { Trees } from "./snapshots/trees.ts";

export type IsolationChoice = "required" | "preferred" | "none";

export type LocalSandboxOptions = {
  /** Folder of the blobs, which may be shared between processes. Default `runs/objects` below the working directory. */
  store?: string;
  /**
   * Whether commands run under bubblewrap: `preferred` (the default) where it works and as ordinary processes elsewhere;
   * `required`, or else `tier` and `open` fail with a {@link SandboxError}; `none` never. `tier` says what came of it.
   */
  isolation?: IsolationChoice;
};

const CHOICES: readonly IsolationChoice[] = ["required", "preferred", "none"];

/**
 * A sandbox on this machine. To make one does nothing; the first use, which reading `tier` is too, tries once whether
 * bubblewrap works here, and the first `open` ends and removes what processes that were killed left behind. Under
 * bubblewrap a sandbox ends with the thread that started it: use it from the main thread.
 */
export function localSandbox(options: LocalSandboxOptions = {}): Sandbox {
  const { isolation = "preferred", store = join("runs", "objects") } = options;
  if (!CHOICES.includes(isolation)) {
    throw new InvalidInputError("isolation", `is ${JSON.stringify(isolation)}; give one of ${CHOICES.join(", ")}`);
  }
  const trees = new Trees(directoryBlobs(resolve(store)));
  let tier: "bubblewrap" | "process" | undefined;

  const tierInForce = () => {
    tier ??= chooseTier(isolation);
    return tier;
  };

  const prepare = async () => {
    const [toolchain] = await Promise.all([findToolchain(), sweep(tmpdir())]);
    return toolchain;
  };
  let prepared: ReturnType<typeof prepare> | undefined;

  return {
    specificationVersion: "v1",
    get tier() {
      return tierInForce();
    },
    blobs: trees.blobs,
    snapshots: snapshotsOf(trees),
    async open({ snapshot }, { signal }) {
      const isolated = tierInForce() === "bubblewrap";
      const tools = await untilAborted(signal, () => (prepared ??= prepare()));
      const base = makeOwnedFolder();
      try {
        const place = placeIn(base);
        const how = isolated ? bubblewrap(tools) : plainProcess;
        const workspace = new LocalWorkspace({ place, isolation: how, path: tools.path, trees });
        await workspace.restore(snapshot);
        if (signal.aborted) throw abortReason(signal);
        return workspace;
      } catch (error) {
        await removeOwnedFolder(base);
        throw error;
      }
    },
  };
}

function chooseTier(isolation: IsolationChoice): "bubblewrap" | "process" {
  if (isolation === "none") return "process";
  const problem = bubblewrapProblem();
  if (problem === null) return "bubblewrap";
  if (isolation === "preferred") return "process";
  throw new SandboxError(
    `bubblewrap does not work here: ${problem}. Install bubblewrap 0.8 or later on a system that allows user ` +
      'namespaces, or choose isolation: "none" (or "preferred") to run commands as ordinary processes',
  );
}
