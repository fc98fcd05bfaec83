import type { Site } from "../contracts/executor.ts";
import type { SnapshotId } from "../contracts/files.ts";
import type { JsonObject } from "../contracts/json.ts";
import type { Workspace } from "../contracts/sandbox.ts";
import type { FrozenSuite, TestRun } from "../contracts/suite.ts";
import { selectSuites } from "./select-suites.ts";

type RunOptions = { signal: AbortSignal; notice: (note: JsonObject) => void };

/**
 * The test runs of one attempt. They happen in a workspace of their own, which holds the snapshot with the frozen suites
 * laid over it: so tests are pristine whatever became of their files, and what they leave behind is in no snapshot.
 */
export class AttemptTests {
  readonly #site: Site;
  readonly #suites: readonly FrozenSuite[];
  readonly #lane: string;
  #workspace: Workspace | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(site: Site, suites: readonly FrozenSuite[], lane: string) {
    this.#site = site;
    this.#suites = suites;
    this.#lane = `${lane}/tests`;
  }

  /** The suites with these ids, and those that are given whole; all frozen ones when none is named. */
  select(wanted: readonly (string | FrozenSuite)[] | undefined): FrozenSuite[] {
    return selectSuites(this.#suites, wanted);
  }

  /** One run at a time: later calls wait for the earlier. */
  run(snapshot: SnapshotId, suites: readonly FrozenSuite[], options: RunOptions): Promise<TestRun> {
    const run = this.#last.then(() => this.#run(snapshot, suites, options));
    this.#last = run.catch(() => {});
    return run;
  }

  async #run(snapshot: SnapshotId, suites: readonly FrozenSuite[], options: RunOptions): Promise<TestRun> {
    const { sandbox, tests } = this.#site;
    const tree = await sandbox.snapshots.overlay(
      snapshot,
      suites.map((suite) => suite.snapshot),
    );
    if (this.#workspace) await this.#workspace.restore(tree);
    else this.#workspace = await sandbox.open({ snapshot: tree, lane: this.#lane }, options);
    return tests.run(this.#workspace, suites, options);
  }

  async dispose(): Promise<void> {
    await this.#last;
    await this.#workspace?.[Symbol.asyncDispose]();
  }
}
