import { z } from "zod";
import type { Finding, Written } from "./run-written.ts";

/** One test program that cargo built, the file that its tests are in or below, and the folder of its package. */
export type CargoTarget = { file: string; executable: string; folder: string };

const MessageSchema = z.union([
  z.object({
    reason: z.literal("compiler-artifact"),
    target: z.object({ src_path: z.string() }),
    manifest_path: z.string(),
    executable: z.string(),
  }),
  z.object({
    reason: z.literal("compiler-message"),
    message: z.object({
      level: z.string(),
      rendered: z.string(),
      spans: z.array(z.object({ file_name: z.string(), line_start: z.int(), is_primary: z.boolean() })),
    }),
  }),
]);

/** A line of libtest's JSON format, which is marked as unstable: what is not of this form is no result. */
const EventSchema = z.object({
  type: z.enum(["test", "suite"]),
  event: z.string(),
  name: z.string().default(""),
  stdout: z.string().default(""),
  message: z.string().nullish(),
  exec_time: z.number().default(0),
});

/** The test programs that `cargo test --no-run --message-format=json` says it built. */
export function cargoTargets({ output }: Written, root: string): CargoTarget[] {
  return jsonLines(output, MessageSchema).flatMap((one) => {
    if (one.reason !== "compiler-artifact") return [];
    const [file = "", manifest = ""] = [one.target.src_path, one.manifest_path].map((path) =>
      path.replace(`${root}/`, ""),
    );
    return [{ file, executable: one.executable, folder: manifest.replace(/\/?Cargo\.toml$/, "") }];
  });
}

/** Why the build failed, if it did. */
export function readBuild({ output, error, exited }: Written): Finding[] {
  if (exited?.code === 0) return [];
  const errors = jsonLines(output, MessageSchema).flatMap((one) =>
    one.reason === "compiler-message" && one.message.level === "error" ? [one.message] : [],
  );
  const place = errors.flatMap(({ spans }) => spans.filter((span) => span.is_primary))[0];
  return [
    {
      kind: "broken",
      code: "BUILD_FAILED",
      id: place?.file_name ?? "Cargo.toml",
      file: place?.file_name ?? "Cargo.toml",
      message: errors.map(({ rendered }) => rendered.trim()).join("\n\n") || error.trim(),
      errorType: null,
      location: place ? `${place.file_name}:${place.line_start}` : null,
      frames: [],
    },
  ];
}

/** The results of one test program. */
export function readCargoTests(file: string, { output }: Written): Finding[] {
  const events = jsonLines(output, EventSchema);
  const findings = events.flatMap((event): Finding[] => {
    if (event.type !== "test") return [];
    const id = `${file}::${event.name}`;
    if (event.event === "started" || event.event === "discovered") {
      const collected: Finding = { kind: "collected", ids: [id] };
      return event.event === "started" ? [{ kind: "start", id }, collected] : [collected];
    }
    const status = STATUS[event.event];
    if (status === undefined) return [];
    const told =
      status === "failed" ? panicOf(event.stdout, event.message) : { ...NOTHING, message: event.message ?? null };
    return [{ kind: "test", id, file, status, ...told, ms: event.exec_time * 1_000 }];
  });
  const whole = events.some(({ type, event }) => type === "suite" && ENDED.includes(event));
  if (whole) return findings;
  const early = "the program ended before its tests had";
  return [...findings, { kind: "crash", message: early, errorType: null, location: null, frames: [] }];
}

const STATUS: Record<string, "passed" | "failed" | "skipped"> = { ok: "passed", failed: "failed", ignored: "skipped" };
const ENDED = ["ok", "failed", "completed"];
const NOTHING = { message: null, errorType: null, location: null, frames: [], output: "" };

/** A panic says where it was, and then what was wrong; before it stands what the test printed. */
function panicOf(stdout: string, message: string | null | undefined) {
  const panic = /^thread '.*' (?:\(\d+\) )?panicked at (?:\.\/)?(.+?):(\d+):\d+:\n/m.exec(stdout);
  if (!panic) return { ...NOTHING, message: message ?? (stdout.trim() || "failed") };
  const [header, path, line] = panic;
  const [said = ""] = stdout.slice(panic.index + header.length).split(/\n(?:note: |stack backtrace:)/);
  return {
    message: said.trim(),
    errorType: said.startsWith("assertion") ? "assertion" : "panic",
    location: path?.startsWith("/") ? null : `${path}:${line}`,
    frames: [],
    output: stdout.slice(0, panic.index).trim(),
  };
}

function jsonLines<T>(text: string, schema: z.ZodType<T>): T[] {
  return text.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    try {
      const parsed = schema.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  });
}
