import type { Fault } from "../contracts/fault.ts";
import { mask } from "./masks.ts";

/**
 * What kind of failure this is, the same for the same failure on every run: error type, program, file of the first frame in
 * the workspace, first failing test. Line numbers are left out, since an unrelated edit moves them.
 */
export function signatureOf(fault: Fault, program: string): string {
  const file = fault.location?.replace(/:\d+(:\d+)?$/, "");
  return [fault.errorType ?? fault.code, program, file ?? "-", fault.test ?? "-"]
    .map((part) => mask(part).replaceAll("|", "/"))
    .join("|");
}

/** The coarse part of a signature, by which summaries are ranked: the type of error alone. */
export function faultClassOf(signature: string): string {
  return signature.split("|")[0]!;
}
