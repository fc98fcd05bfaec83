import { z } from "zod";
import type { Json, JsonObject } from "../contracts/json.ts";
import type { ToolUse } from "../contracts/model.ts";
import type { Role } from "../contracts/team.ts";
import type { Tool, ToolOutput } from "../contracts/tool.ts";
import { messageOf, SandboxError } from "../errors.ts";
import { matchesGlob } from "../glob.ts";
import { toJson } from "../json-value.ts";
import { REDACTED, redactJson } from "../redact.ts";
import { headAndTail } from "../text.ts";
import type { AttemptParts } from "./attempt-parts.ts";
import { faultOfError } from "./fault-of-error.ts";
import type { CallOutcome, PendingCall } from "./recorder.ts";

/** No output of a tool that enters a log or a prompt is longer, and its whole is a blob; tools have tighter limits of their own. */
const MAX_OUTPUT = 60_000;

/** A model's wish as a call that can be recorded. What cannot be done is a call too: its result says what would be right. */
export function toolCall(use: ToolUse, role: Role, around: AttemptParts): PendingCall {
  const args = redactJson(toJson(use.args) as JsonObject, around.site.redact);
  const call = { op: "tool", id: use.id, tool: use.tool, args } as const;
  const refuse = (output: string): PendingCall => ({
    call,
    effect: "none",
    run: async () => ({ value: { ok: false, output } }),
  });
  const tool = role.tools.find(({ name }) => name === use.tool);
  if (!tool)
    return refuse(
      `There is no tool ${use.tool}. Your tools are: ${role.tools.map(({ name }) => name).join(", ") || "none"}.`,
    );
  const input = tool.input.safeParse(args);
  if (!input.success)
    return refuse(`Wrong arguments for ${tool.name}, nothing was done:\n${z.prettifyError(input.error)}`);
  if (tool.effect !== "none" && JSON.stringify(args).includes(REDACTED)) {
    return refuse(
      `Not done: ${REDACTED} stands for something shaped like a secret, which you cannot see or write. Edit the text around it.`,
    );
  }
  return {
    call,
    effect: tool.effect,
    repeatable: tool.idempotent,
    run: (signal, begin) => runTool(tool, input.data, begin, role, around, signal),
  };
}

async function runTool(
  tool: Tool<Json>,
  input: Json,
  begin: string,
  role: Role,
  { order, site, recorder, tests, notice }: AttemptParts,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const before = recorder.snapshot;
  const workspace = await recorder.workspace();
  const context = {
    workspace,
    callId: `${order.step.runId}/${order.step.stepId}/${begin}`,
    signal,
    test: async (ids?: readonly string[]) => (await tests.run(before, tests.select(ids), { signal, notice })).report,
  };
  const outcome = await called();
  const refused = tool.effect === "workspace" ? await undoForbidden() : null;
  return refused ? { value: refused } : outcome;

  async function called(): Promise<CallOutcome> {
    try {
      const { ok, output, touched, loaded, measured } = await site.guard.call({
        dependency: "tools",
        signal,
        idempotent: tool.idempotent,
        run: (signal) => tool.call(input, { ...context, signal }),
        notice,
      });
      const told = site.redact(output); // before it is cut, since half a secret is known by nothing
      const whole = told.length > MAX_OUTPUT ? { whole: await site.sandbox.blobs.put(told) } : {};
      const value = { ok, output: headAndTail(told, MAX_OUTPUT), ...(loaded ? { loaded } : {}) };
      return { value, ...(touched ? { touched } : {}), measured: { ...whole, ...measured } };
    } catch (error) {
      if (signal.aborted || error instanceof SandboxError) throw error;
      return { value: { ok: false, output: `${tool.name} failed: ${messageOf(error)}` }, fault: faultOfError(error) };
    }
  }

  /** A role may change only what its globs allow, whichever tool it uses, and however the call ended. */
  async function undoForbidden(): Promise<Pick<ToolOutput, "ok" | "output"> | null> {
    const { writes } = role;
    if (!writes) return null;
    const changes = await site.sandbox.snapshots.diff(before, await workspace.snapshot());
    const forbidden = changes.map(({ path }) => path).filter((path) => !mayWrite(writes, path));
    if (forbidden.length === 0) return null;
    await workspace.restore(before);
    return {
      ok: false,
      output: `Undone: you may not change ${forbidden.join(", ")}. You may change: ${writes.join(", ")}.`,
    };
  }
}

function mayWrite(globs: readonly string[], path: string): boolean {
  const excluded = globs.some((glob) => glob.startsWith("!") && matchesGlob(path, glob.slice(1)));
  const included = globs.filter((glob) => !glob.startsWith("!"));
  return !excluded && (included.length === 0 || included.some((glob) => matchesGlob(path, glob)));
}
