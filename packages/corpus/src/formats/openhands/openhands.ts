import { asJson } from "@swarm/core";
import { contentOf, saidIn } from "../../run/said.ts";
import { startedAt } from "../../run/times.ts";
import { defineFormat } from "../format.ts";
import { eventsOf } from "./events.ts";
import { type OpenHandsEvent, type OpenHandsRow, OpenHandsSchema } from "./schema.ts";

/** Outcomes of runs that ended before their work did. */
const BROKEN_OFF: readonly string[] = ["infra-error", "aborted", "timeout", "budget"];

/** A run as a row of the OpenHands benchmarks, with its conversations as events of the SDK. */
export const openhands = defineFormat<OpenHandsRow>({
  name: "openhands",
  summary: "a run as a row of OpenHands' benchmarks, with the events of its SDK",
  schema: OpenHandsSchema,
  outcomes: null,
  async *rows(record, leaveOut) {
    const { run, attempts } = record;
    const { header, verdict, usage } = run;
    const patch = await record.patch();
    if (patch.why !== null) leaveOut(`the patch of a row: ${patch.why}`);
    const history: OpenHandsEvent[] = [];
    for (const said of saidIn(attempts)) {
      const place = { runId: run.runId, startedAt: startedAt(run), from: history.length };
      history.push(...eventsOf(said, await record.settings(said.settings), place));
    }
    const row: OpenHandsRow = {
      instance_id: run.taskId,
      attempt: 1,
      test_result: { git_patch: patch.text },
      instruction: header.task.prompt,
      metadata: { run_id: run.runId, team: asJson(header.team), tier: header.tier },
      history,
      metrics: {
        accumulated_cost: usage.usd,
        accumulated_token_usage: {
          prompt_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
          completion_tokens: usage.output,
          cache_read_tokens: usage.cacheRead,
          cache_write_tokens: usage.cacheWrite,
          reasoning_tokens: usage.reasoning,
        },
      },
      error: BROKEN_OFF.includes(verdict.outcome) ? verdict.outcome : null,
      instance: { task_sha256: header.taskSha256, base: header.base },
      runtime_runs: null,
    };
    yield { row, content: contentOf(record, patch) };
  },
});
