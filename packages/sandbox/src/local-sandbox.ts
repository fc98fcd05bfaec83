import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { abortReason, InvalidInputError, type Sandbox, SandboxError, untilAborted } from "@swarm/core";
import { holdDirectory } from "./directory/hold-directory.ts";
import { bubblewrap, bubblewrapProblem } from "./isolation/bubblewrap.ts";
import { type CgroupHome, findCgroupHome, sweepCgroups } from "./isolation/cgroups.ts";
import { placeIn } from "./isolation/isolation.ts";
import { type Limits, limitsFrom } from "./isolation/limits.ts";
import { allowListFrom } from "./isolation/network/allow-list.ts";
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
  /** What a command may use under bubblewrap, in place of the defaults. */
  limits?: Partial<Limits>;
  /**
   * Hosts that commands under bubblewrap may reach by HTTPS, such as `registry.npmjs.org`, `*.example.org` or
   * `example.org:8443`. The tier is then `bubblewrap+network`. Default: none. Plain processes reach whatever you reach.
   */
  network?: readonly string[];
};

export type LocalSandbox = Sandbox & {
  /**
   * What bounds the memory and the number of all processes of a command together: the kernel by control groups of one of its
   * two versions, or this process, which looks ten times a second and ends a command with too much; or, with plain
   * processes, nothing.
   */
  readonly bounds: "cgroups-v2" | "cgroups-v1" | "watched" | "none";
};

const CHOICES: readonly IsolationChoice[] = ["required", "preferred", "none"];

/**
 * A sandbox on this machine. To make one does nothing; the first use, which reading `tier` is too, tries once whether
 * bubblewrap works here, and the first `open` ends and removes what processes that were killed left behind. Under
 * bubblewrap a sandbox ends with the thread that started it: use it from the main thread.
 */
export function localSandbox(options: LocalSandboxOptions = {}): LocalSandbox {
  const { isolation = "preferred", store = join("runs", "objects") } = options;
  if (!CHOICES.includes(isolation)) {
    throw new InvalidInputError("isolation", `is ${JSON.stringify(isolation)}; give one of ${CHOICES.join(", ")}`);
  }
  const limits = limitsFrom(options.limits ?? {});
  const network = allowListFrom(options.network ?? []);
  const folder = resolve(store);
  const trees = new Trees(directoryBlobs(folder));
  let chosen: InForce | undefined;

  const inForce = () => {
    chosen ??= choose(isolation);
    return chosen;
  };

  const prepare = async () => {
    const { tier, cgroups } = inForce();
    if (cgroups) sweepCgroups(cgroups);
    const [toolchain] = await Promise.all([findToolchain(), sweep(tmpdir())]);
    const how = tier === "bubblewrap" ? bubblewrap({ toolchain, limits, cgroups, network }) : plainProcess;
    return { isolation: how, path: toolchain.path };
  };
  let prepared: ReturnType<typeof prepare> | undefined;

  return {
    specificationVersion: "v1",
    get tier() {
      const { tier } = inForce();
      return tier === "bubblewrap" && network.length > 0 ? "bubblewrap+network" : tier;
    },
    get bounds() {
      const { tier, cgroups } = inForce();
      if (tier === "process") return "none";
      return cgroups ? (`cgroups-v${cgroups.version}` as const) : "watched";
    },
    blobs: trees.blobs,
    snapshots: snapshotsOf(trees),
    async open({ snapshot }, { signal }) {
      const ready = await untilAborted(signal, () => (prepared ??= prepare()));
      const base = makeOwnedFolder();
      try {
        const place = placeIn(base);
        const workspace = new LocalWorkspace({ place, trees, ...ready });
        await workspace.restore(snapshot);
        if (signal.aborted) throw abortReason(signal);
        return workspace;
      } catch (error) {
        await removeOwnedFolder(base);
        throw error;
      }
    },
    hold: (directory) => holdDirectory(resolve(directory), trees, folder),
  };
}

type InForce = { tier: "bubblewrap" | "process"; cgroups: CgroupHome | null };

function choose(isolation: IsolationChoice): InForce {
  if (isolation === "none") return { tier: "process", cgroups: null };
  const problem = bubblewrapProblem();
  if (problem === null) return { tier: "bubblewrap", cgroups: findCgroupHome() };
  if (isolation === "preferred") return { tier: "process", cgroups: null };
  throw new SandboxError(
    `bubblewrap does not work here: ${problem}. Install the package bubblewrap, 0.8 or later, on a system that allows ` +
      'user namespaces, or choose isolation: "none" (--isolation none) to run commands as ordinary processes',
  );
}
