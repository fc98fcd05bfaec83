import {
  type JsonObject,
  memoryLogStore,
  type Oracle,
  type RunOptions,
  runTask,
  type Task,
  type Trajectory,
  unverified,
} from "@swarm/core";
import { type Answer, assertSoundRun, type Script, type ScriptedClient, scripted } from "@swarm/core/testing";
import { cleanRoomOracle } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { type DevTeamOptions, devTeam } from "../src/dev-team/dev-team.ts";
import type { Spec } from "../src/dev-team/spec.ts";
import type { DevTeamReport } from "../src/dev-team/workflow.ts";

export const ORACLE = cleanRoomOracle();
export type Ran = { trajectory: Trajectory; report: DevTeamReport; model: ScriptedClient; runOptions: RunOptions };

export type Changes = Partial<DevTeamOptions> & { task?: Task; options?: Partial<RunOptions> };

/** Runs the team on a script, in plain processes. `objects`: the folder of its stored files. */
export async function playDevTeam(objects: string, script: Script, changes: Changes = {}): Promise<Ran> {
  const { task = PLAIN, ...more } = changes;
  const { options = {}, ...teamOptions } = more;
  const model = scripted("test:model", script);
  const runOptions: RunOptions = {
    team: devTeam({ model, ...teamOptions }),
    sandbox: localSandbox({ store: objects, isolation: "none" }),
    store: memoryLogStore(),
    oracle: CHECKING,
    ...options,
  };
  const trajectory = await runTask(task, runOptions);
  assertSoundRun(trajectory);
  return { trajectory, report: trajectory.report as DevTeamReport, model, runOptions };
}

/** The oracle without its further checks of what passed, which take time and are not what is tested here. */
export const CHECKING: Oracle = {
  ...ORACLE,
  verify: (input, context) => ORACLE.verify({ ...input, depth: "check" }, context),
};

export const PLAIN: Task = { id: "numbers", prompt: "Write double(x) and triple(x).", source: { files: {} } };
export const write = (path: string, content: string) => ({ tool: "write_file", args: { path, content } });
export const finish = (entryPoint: string, explanation = "It is built.") => ({
  tool: "finish",
  args: { explanation, plan: "Wrote it.", entryPoint },
});

export const spec = (...tasks: string[]): Spec => ({
  criteria: tasks.map((name, nth) => ({ id: `AC${nth + 1}`, text: `${name}(x) gives ${name} the number.` })),
  tasks: tasks.map((name, nth) => ({
    id: `T${nth + 1}`,
    title: `Write ${name}`,
    instructions: `Write ${name}(x) in ${name}.py.`,
    covers: [`AC${nth + 1}`],
  })),
});
export const drafted = (...tasks: string[]) => ({ "run/draft-spec|pm|0.0": JSON.stringify(spec(...tasks)) });

/** Answers of the coder in a step: the files, then finish. */
export const files = (step: string, written: Record<string, string>, explanation?: string): Record<string, Answer> => ({
  [`run/${step}|coder|0.0`]: Object.entries(written).map(([path, content]) => write(path, content)),
  [`run/${step}|coder|0.1`]: [finish(Object.keys(written)[0]!, explanation)],
});
export const CRITIQUE = JSON.stringify({ bugs: ["none found"], edgeCases: [], revision: "Say what it does." });
export const revision = (step: string, written: Record<string, string>): Record<string, Answer> => ({
  [`run/${step}|coder|0.0`]: CRITIQUE,
  [`run/${step}|coder|0.1`]: Object.entries(written).map(([path, content]) => write(path, content)),
  [`run/${step}|coder|0.2`]: [finish(Object.keys(written)[0]!)],
});
export const suite = (name: string, criterion: string, asserted: string, notes = "") =>
  JSON.stringify({
    runner: "pytest",
    setup: `from ${name} import ${name}`,
    tests: [
      { name: `test_${name}`, criteria: [criterion], code: `def test_${name}():\n    assert ${asserted}` },
      {
        name: `test_${name}_of_nothing`,
        criteria: [criterion],
        code: `def test_${name}_of_nothing():\n    assert ${name}(0) == 0`,
      },
    ],
    notes,
  });
export const RIGHT_AS_IT_IS = JSON.stringify({ corrections: [], setup: null, notes: "" });

export const code = (name: string, expression: string) => ({
  [`${name}.py`]: `def ${name}(x):\n    return ${expression}\n`,
});
export const better = (name: string, expression: string) => ({
  [`${name}.py`]: `def ${name}(x):\n    """It gives ${name} the number."""\n    return ${expression}\n`,
});
/** A task whose first delivery is wrong in the same way after its revision. */
export const wrongDouble = {
  ...files("build", code("double", "x + 2")),
  ...revision("revise", better("double", "x + 2")),
};
export const rightDouble = {
  ...files("build", code("double", "2 * x")),
  ...revision("revise", better("double", "2 * x")),
};
export const doubleSuite = { "run/write-suite|qa|0.0": suite("double", "AC1", "double(3) == 6") };

export const TEN = Array.from({ length: 10 }, (_, nth) => `part${nth}`);

/** A bug, and its fix. */
export const mended = {
  ...drafted("double"),
  ...wrongDouble,
  ...doubleSuite,
  "run/audit-suite|qa|0.0": RIGHT_AS_IT_IS,
  ...files("fix", code("double", "2 * x")),
};

/** Admits every suite and judges nothing, for runs in which no test is to be run. */
export const LENIENT: Oracle = {
  ...ORACLE,
  async admit({ id, author, runner, files }, _, { sandbox }) {
    const snapshot = await sandbox.snapshots.put({ files });
    return { ok: true, output: { id, author, runner, snapshot, entries: Object.keys(files), tests: [] } };
  },
  verify: async () => unverified("failed", "nothing was judged"),
};

export const notesOf = ({ trajectory }: Ran, name: string) =>
  trajectory.events.flatMap(({ payload }) =>
    payload.type === "note" && name in payload.note ? [payload.note[name] as JsonObject] : [],
  );
export const intentsOf = (ran: Ran) =>
  notesOf(ran, "a2a").flatMap(({ message, delivered }) => (delivered ? [(message as JsonObject)["intent"]] : []));
export const rejectionsOf = (ran: Ran) => notesOf(ran, "a2a").filter(({ delivered }) => delivered === false);
export const promptOf = ({ model }: Ran, stepId: string, role: string) =>
  JSON.stringify(model.requests.find(({ at }) => at.stepId === `run/${stepId}` && at.role === role)?.request.turns);
export const stepsOf = ({ trajectory }: Ran) =>
  trajectory.events.flatMap(({ payload }) =>
    payload.type === "step" ? [payload.step.stepId.slice("run/".length)] : [],
  );
