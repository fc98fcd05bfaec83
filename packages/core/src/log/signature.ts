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
