import { headAndTail, type RoleHandle, type Turn } from "@swarm/core";
import { material } from "./material.ts";
import { say, textOf, textPart } from "./turns.ts";

const MOST_ABOUT = 4_000;
/** A memory is some kilobytes; what is not is no reason to have no room for the work. */
const MOST_MEMORY = 8_000;
const MOST_ID = 200;
/** What a model last said is only a part of the question. */
const MOST_SAID = 500;

const TOLD =
  "Earlier runs, of this or of other tasks, did the following. Take from it what helps; their files are not here.";

/**
 * The thread with what the role's memory has on its work: on what that is `about`, and on what the model said last. What the
 * turns that the model is `shown` tell already is not told again, so a thread only grows at its end.
 */
export async function recollected(
  role: RoleHandle,
  turns: readonly Turn[],
  shown: readonly Turn[],
  about: string,
): Promise<Turn[]> {
  const said = textOf(turns.findLast((turn) => turn.role === "assistant")?.parts ?? []);
  const question = [headAndTail(about, MOST_ABOUT), headAndTail(said, MOST_SAID)].join("\n").trim();
  const found = await role.recall(question);
  const memories = found
    .map(({ id, text }) => material("memory", headAndTail(text, MOST_MEMORY), headAndTail(id, MOST_ID)))
    .filter((text) => !isTold(shown, text));
  return memories.length === 0 ? [...turns] : say(turns, [textPart([TOLD, ...memories].join("\n\n"))]);
}

function isTold(turns: readonly Turn[], text: string): boolean {
  return turns.some(({ parts }) => parts.some((part) => part.type === "text" && part.text.includes(text)));
}
