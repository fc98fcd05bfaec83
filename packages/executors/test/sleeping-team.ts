import { defineProgram, type Json, JsonSchema, type Team, type TeamRef, type Tool } from "@swarm/core";
import { conformanceTeam, scripted } from "@swarm/core/testing";
import { localSandbox } from "@swarm/sandbox";
import { z } from "zod";

/** A team whose one step runs a command that sleeps for `config.seconds`, a real process, with files in the folder `config.store`. */
export function makeTeam({ config }: Pick<TeamRef, "config">): Team {
  const { seconds, store } = config as { seconds: string; store: string };
  const base = conformanceTeam();
  const coder = {
    models: [scripted("scripted:sleeping", { "run/sleep|coder|0.0": [{ tool: "sleep", args: { seconds } }] })] as const,
    system: "Sleep.",
    tools: [sleepTool],
  };
  const sandbox = localSandbox({ store, isolation: "none" });
  return {
    ...base,
    name: "sleeping",
    config,
    roles: { coder },
    programs: [sleep],
    workflow: async (run) => (await run.step(sleep, null)).ok,
    defaults: { ...base.defaults, sandbox: () => sandbox },
  };
}

const sleep = defineProgram<Json, Json>({
  name: "sleep",
  input: JsonSchema,
  output: JsonSchema,
  async attempt(context) {
    const coder = context.role("coder");
    const { parts } = await coder.ask({ turns: [] });
    await coder.use(parts.filter((part) => part.type === "tool"));
    return context.done(null);
  },
});

const sleepTool: Tool<{ seconds: string }> = {
  name: "sleep",
  description: "Sleeps.",
  input: z.strictObject({ seconds: z.string() }),
  effect: "workspace",
  idempotent: true,
  async call({ seconds }, { workspace, signal }) {
    const script = `trap '' TERM; sleep ${seconds} & wait`;
    const { output } = await workspace.exec(["sh", "-c", script], { signal, timeoutMs: 60_000 });
    return { ok: true, output };
  },
};
