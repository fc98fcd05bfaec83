import { type Files, type Json, runPath, type Snapshots, type Trajectory } from "@swarm/core";
import { mermaidOf } from "../graph/mermaid.ts";
import { jsonText } from "../run/views.ts";
import { collect } from "./collect.ts";

/** What a folder of evidence holds, and where it comes from. */
const CONTENTS: readonly { name: string; what: string }[] = [
  { name: "requirement.md", what: "What the run was asked for." },
  { name: "steps/", what: "The hand-offs: each step with what it was given and gave, and the faults of its attempts." },
  {
    name: "reflections.jsonl",
    what: "What was found wrong with work: hints after failed attempts, critiques, diagnoses.",
  },
  { name: "tests/", what: "The report of each test run." },
  { name: "suites.jsonl", what: "What the oracle said of each suite." },
  { name: "suites/", what: "The suites that counted, as they were frozen." },
  { name: "notes/", what: "What the workflow noted, a file for each kind; each line as it was noted then." },
  {
    name: "states.jsonl",
    what: "After which event the files were as in `states/`, and which of the starter were gone.",
  },
  {
    name: "states/",
    what: "The files that differ from the starter: after each step that changed some, and where a note names a state.",
  },
  { name: "checks.jsonl", what: "The judgements of the oracle, the last one's included." },
  { name: "final.json", what: "The verdict, and the workflow's report with the final status of everything." },
  { name: "final/", what: "The files that the run hands over." },
];

/** The evidence of a run as files, from its log and the snapshots that it names. */
export async function evidenceFiles(trajectory: Trajectory, snapshots: Snapshots): Promise<Files> {
  const { header, runId, verdict, report, state, workspace } = trajectory;
  const { steps, reflections, tests, suites, states, notes, judgements } = collect(trajectory);
  const files: Files = { "requirement.md": `${header.task.prompt.trimEnd()}\n` };
  const put = (folder: string, found: Files) => {
    for (const [path, content] of Object.entries(found)) files[`${folder}/${path}`] = content;
  };

  const numbered = (event: number, name: string) =>
    `${String(event).padStart(String(trajectory.events.length).length, "0")}-${safe(name.replace(/^run\//, ""))}`;

  for (const step of steps) files[`steps/${numbered(step.event, step.step)}.json`] = jsonText(step);
  for (const test of tests) files[`tests/${numbered(test.event, test.step)}.json`] = jsonText(test);
  for (const [kind, rows] of notes) files[`notes/${safe(kind)}.jsonl`] = linesOf(rows);
  if (reflections.length > 0) files["reflections.jsonl"] = linesOf(reflections);
  if (judgements.length > 0) files["checks.jsonl"] = linesOf(judgements);

  if (suites.length > 0) files["suites.jsonl"] = linesOf(suites);
  for (const one of suites)
    if ("suite" in one && ["prepare", "frozen"].includes(one.asked))
      put(`suites/${safe(one.suite.id)}`, await snapshots.files(one.suite.snapshot));

  const rows = [];
  for (const { event, name, snapshot } of states) {
    const state = numbered(event, name);
    const { files: changed, removed } = await changesTo(snapshot);
    put(`states/${state}`, changed);
    rows.push({ event, state, snapshot, removed });
  }
  if (rows.length > 0) files["states.jsonl"] = linesOf(rows);
  files["final.json"] = jsonText({ runId, verdict, report, state, workspace });
  put("final", await trajectory.files());
  return { "README.md": readme(trajectory, files), ...files };

  async function changesTo(to: string): Promise<{ files: Files; removed: string[] }> {
    const { snapshot } = await snapshots.delivered(header.base, to);
    const all = await snapshots.files(snapshot);
    const changes = await snapshots.diff(header.base, snapshot);
    const [removed, left] = [true, false].map((gone) => changes.filter(({ kind }) => (kind === "removed") === gone));
    const changed = left!.flatMap(({ path }): [string, Files[string]][] => (path in all ? [[path, all[path]!]] : []));
    return { files: Object.fromEntries(changed), removed: removed!.map(({ path }) => path) };
  }
}

function readme(trajectory: Trajectory, files: Files): string {
  const { runId, taskId, header, verdict } = trajectory;
  const paths = Object.keys(files);
  const present = CONTENTS.filter(({ name }) => paths.some((path) => path.startsWith(name)));
  return [
    `# Run ${runId}`,
    `The team ${header.team.name} ${header.team.version} on the task ${taskId}: ${verdict.outcome}. All that is here is made from the run's log. The number of a file, and \`event\` in it, is that of an event in the log, as \`swarm show\` numbers them.`,
    present.map(({ name, what }) => `- \`${name}\`: ${what}`).join("\n"),
    `\`\`\`mermaid\n${mermaidOf(runPath(trajectory))}\`\`\``,
  ]
    .map((part) => `${part}\n`)
    .join("\n");
}

function linesOf(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row as Json)}\n`).join("");
}

/** A name that a team chose, as part of a path. */
function safe(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, "_").replace(/^\.+/, "_") || "_";
}
