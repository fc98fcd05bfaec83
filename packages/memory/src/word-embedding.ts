import type { Embed } from "./memory-store.ts";
import { wordsOf } from "./words.ts";

const DIMENSIONS = 1024;

/**
 * Embeds a text by the words that it has, without a model: each word counts in the place, and with the sign, that its hash
 * gives it (feature hashing: Weinberger et al., 2009), a repeated one less each time. So texts are close that share their
 * words; that two words mean the same it does not know.
 */
export const wordEmbedding: Embed = async (texts) => texts.map(embedded);

function embedded(text: string): number[] {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (const [word, count] of counts) {
    const hash = fnv1a(word);
    vector[hash % DIMENSIONS]! += (hash & 0x80000000 ? -1 : 1) * Math.sqrt(count);
  }
  const length = Math.hypot(...vector);
  if (length === 0) return vector.with(0, 1); // no word, and still a direction
  return vector.map((value) => value / length);
}

/** Fowler, Noll and Vo's hash of 32 bits, over UTF-16 units. */
function fnv1a(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
