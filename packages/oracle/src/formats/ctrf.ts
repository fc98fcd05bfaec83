import { z } from "zod";
import type { Format, ReportedTest } from "./format.ts";

const TestSchema = z.object({
  name: z.string(),
  status: z.enum(["passed", "failed", "skipped", "pending", "other"]),
  duration: z.number().default(0),
  suite: z.union([z.string(), z.array(z.string())]).default([]),
  message: z.string().optional(),
  trace: z.string().optional(),
  type: z.string().optional(),
  filePath: z.string().optional(),
  line: z.int().optional(),
  stdout: z.array(z.string()).default([]),
  stderr: z.array(z.string()).default([]),
});

const ReportSchema = z.object({
  results: z.object({ summary: z.object({ tests: z.int() }), tests: z.array(TestSchema) }),
});

/** The Common Test Report Format (ctrf.io). A status that it calls `other` is an error: nothing says that the test passed. */
export const ctrf: Format = (text) => {
  const { summary, tests } = ReportSchema.parse(JSON.parse(text)).results;
  const problem = summary.tests === tests.length ? null : `it counts ${summary.tests} tests and holds ${tests.length}`;
  return { tests: tests.map(readTest), problem };
};

const STATUS = { passed: "passed", failed: "failed", skipped: "skipped", pending: "skipped", other: "error" } as const;

function readTest({ name, suite, status, message, trace, ...test }: z.infer<typeof TestSchema>): ReportedTest {
  const told = [message, trace?.includes(message ?? "") ? trace.replace(message ?? "", "") : trace];
  return {
    names: [...(typeof suite === "string" ? [suite] : suite), name],
    file: test.filePath ?? null,
    status: STATUS[status],
    message: told.filter(Boolean).join("\n").trim() || null,
    errorType: null,
    line: test.line ?? null,
    ms: test.duration,
    output: [...test.stdout, ...test.stderr].join("\n"),
  };
}
