import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  abortReason,
  type Blobs,
  createRedactor,
  InvalidInputError,
  type Sandbox,
  SandboxError,
  untilAborted,
} from "@swarm/core";
import { holdDirectory } from "./directory/hold-directory.ts";
import { type Bounds, chooseTier, type IsolationChoice, type Tier } from "./isolation/choose-tier.ts";
import { placeIn } from "./isolation/isolation.ts";
import { type Limits, limitsFrom } from "./isolation/limits.ts";
import { allowListFrom } from "./isolation/network/allow-list.ts";
import type { SandboxManager } from "./isolation/sandbox-runtime.ts";
import { findToolchain } from "./isolation/toolchain.ts";
import { LocalWorkspace } from "./local-workspace.ts";
import { makeOwnedFolder, removeOwnedFolder } from "./owned/owned-folder.ts";
import { sweep } from "./owned/sweep.ts";
import { snapshotsOf } from "./snapshots/blob-snapshots.ts";
import { blobsOver } from "./snapshots/blobs-over.ts";
import { directoryBlobs } from "./snapshots/directory-blobs.ts";
import { sharedBlobs } from "./snapshots/shared-blobs.ts";
import { Trees } from "./snapshots/trees.ts";

export type LocalSandboxOptions = {
  /** Folder of the blobs, which may be shared between processes. Default `runs/objects` below the working directory. */
  store?: string;
  /** Folder of blobs that are only read, for what `store` lacks, such as those of a finished run. Default: none. */
  readOnlyStore?: string;
  /**
   * Blobs that other machines reach too, such as `directoryBlobs` of a folder that is shared or S3 storage: what is put into `store`
   * is put there as well, and what `store` lacks is got from there. So a snapshot that one machine made is opened on another.
   * Default: none.
   */
  shared?: Blobs;
  /**
   * Whether commands run under bubblewrap: `preferred` (the default) where it works and as ordinary processes elsewhere;
   * `required`, or else `tier` and `open` fail with a {@link SandboxError}; `none` never. `tier` says what came of it.
   */
  isolation?: IsolationChoice;
  /**
   * Values that are taken out of outputs that are kept whole, as is what is shaped like a key. A workspace with a file that holds one
   * is not kept: its `snapshot` rejects with a `PathError`, `SECRET_IN_FILE`. Default: none.
   */
  secrets?: readonly string[];
  /** What a command may use under bubblewrap, in place of the defaults. */
  limits?: Partial<Limits>;
  /**
   * Hosts that commands under bubblewrap may reach by HTTPS, such as `registry.npmjs.org`, `*.example.org` or
   * `example.org:8443`. The tier is then `bubblewrap+network`. Default: none. Plain processes reach whatever you reach.
   */
  network?: readonly string[];
  /**
   * Experimental: `SandboxManager` of the package `@anthropic-ai/sandbox-runtime`, which keeps commands in where bubblewrap
   * does not work, as on macOS.
   */
  sandboxRuntime?: SandboxManager;
  /**
   * Experimental: an image for containers, in which commands run where neither bubblewrap works nor `sandboxRuntime` is given,
   * and Docker works. It has to hold `/bin/sh` and what commands need.
   */
  docker?: { image: string };
};

export type LocalSandbox = Sandbox & {
  readonly bounds: Bounds;
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
  const { readOnlyStore, shared } = options;
  const own = shared ? sharedBlobs(directoryBlobs(folder), shared) : directoryBlobs(folder);
  const blobs = readOnlyStore === undefined ? own : blobsOver(own, directoryBlobs(resolve(readOnlyStore)));
  const trees = new Trees(blobs, options.secrets);
  const redact = createRedactor(options.secrets?.map((secret) => Buffer.from(secret).toString("latin1")));
  let chosen: Tier | undefined;

  const tier = () => {
    const { sandboxRuntime, docker } = options;
    chosen ??= chooseTier(isolation, { limits, network, sandboxRuntime, docker });
    return chosen;
  };

  const prepare = async () => {
    const [toolchain] = await Promise.all([findToolchain(), sweep(tmpdir())]);
    return { isolation: tier().isolation(toolchain), path: toolchain.path };
  };
  let prepared: ReturnType<typeof prepare> | undefined;

  return {
    specificationVersion: "v1",
    get tier() {
      return tier().name;
    },
    get bounds() {
      return tier().bounds;
    },
    blobs: trees.blobs,
    snapshots: snapshotsOf(trees),
    async open({ snapshot }, { signal }) {
      const ready = await untilAborted(signal, () => (prepared ??= prepare()));
      const base = makeOwnedFolder();
      try {
        const place = placeIn(base);
        const workspace = new LocalWorkspace({ place, trees, redact, ...ready });
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
