import { z } from "zod";
import { type Fault, FaultSchema } from "./fault.ts";
import type { Schema } from "./json.ts";

/** Success with its output, or failure with its fault. */
export type Done<O> = { ok: true; output: O } | { ok: false; fault: Fault };

export function doneSchema<O>(output: Schema<O>): Schema<Done<O>> {
  const schema: unknown = z.union([
    z.strictObject({ ok: z.literal(true), output }),
    z.strictObject({ ok: z.literal(false), fault: FaultSchema }),
  ]);
  return schema as Schema<Done<O>>;
}
