import { sha256 } from "../json-value.ts";

const MOST_ID = 120;

/** The same in any process. A task's id that leaves too little room is cut, and made unique again. */
export function runIdOf(batchId: string, taskId: string, repetition: number, lost: number): string {
  const end = `.${repetition}${lost === 0 ? "" : `.again-${lost}`}`;
  const room = MOST_ID - batchId.length - end.length - 1;
  const name = taskId.length <= room ? taskId : `${taskId.slice(0, room - 9)}-${sha256(taskId).slice(0, 8)}`;
  return `${batchId}.${name}${end}`;
}
