import type { RunRecord } from "../../run/record.ts";
import { contentOf, saidIn } from "../../run/said.ts";
import { startedAt } from "../../run/times.ts";
import { defineFormat } from "../format.ts";
import { conversationDocument, documentId, numbered, type Unnumbered } from "./conversation.ts";
import { type Atif, AtifSchema } from "./schema.ts";

/**
 * A run as an ATIF v1.7 document: the workflow is the root, whose steps are dispatches that no model made, and each
 * conversation is a document in it. Rewards stay out of ATIF, so the verdict is only pointed at.
 */
export const atif = defineFormat<Atif>({
  name: "atif",
  summary: "a run as an ATIF v1.7 document, with a document for each conversation in it",
  schema: AtifSchema,
  outcomes: null,
  async *rows(record) {
    const { run, attempts } = record;
    const { header, usage } = run;
    const documents = [];
    for (const said of saidIn(attempts)) {
      documents.push(conversationDocument(said, await record.settings(said.settings), run));
    }
    const steps = numbered(rootSteps(record));
    const row: Atif = {
      schema_version: "ATIF-v1.7",
      session_id: run.runId,
      trajectory_id: run.runId,
      agent: { name: header.team.name, version: header.team.version, extra: { config: header.team.config } },
      steps,
      final_metrics: {
        total_prompt_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
        total_completion_tokens: usage.output,
        total_cached_tokens: usage.cacheRead,
        ...(usage.usd === null ? {} : { total_cost_usd: usage.usd }),
        total_steps: steps.length,
      },
      extra: {
        swarm: { task_id: run.taskId, task_sha256: header.taskSha256, base: header.base, tier: header.tier },
        verdict_ref: { run_id: run.runId, ts_index: verdictAt(record) },
      },
      ...(documents.length > 0 ? { subagent_trajectories: documents } : {}),
    };
    yield { row, content: contentOf(record, { text: null, why: "" }) };
  },
});

function rootSteps({ run, attempts }: RunRecord): Unnumbered[] {
  const started = startedAt(run);
  const said = saidIn(attempts);
  return [
    { ...(started ? { timestamp: started } : {}), source: "user", message: run.header.task.prompt },
    ...attempts.map((attempt): Unnumbered => {
      const { stepId, program, attempt: nth, hint, snapshot, failure, ok, tests } = attempt;
      const id = `${stepId}#${nth}`;
      const refs = said.filter((one) => one.attempt === attempt).map((one) => ({ trajectory_id: documentId(one) }));
      const counts = tests.map(({ passed, failed }) => `${passed} tests passed, ${failed} failed`);
      return {
        source: "agent",
        message: "",
        tool_calls: [{ tool_call_id: id, function_name: program, arguments: { step: stepId, attempt: nth, hint } }],
        observation: {
          results: [
            {
              source_call_id: id,
              content: [...counts, failure?.fault.message ?? (ok ? "done" : "not done")].join("\n"),
              ...(refs.length > 0 ? { subagent_trajectory_ref: refs } : {}),
              extra: { ok, snapshot, failure_signature: failure?.signature ?? null },
            },
          ],
        },
        llm_call_count: 0,
        extra: { swarm: { node: stepId, attempt: nth, ts_index: attempt.at } },
      };
    }),
  ];
}

function verdictAt({ run: { events } }: RunRecord): number | null {
  return events.findLast(({ payload }) => payload.type === "verdict")?.tsIndex ?? null;
}
