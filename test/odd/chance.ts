import { createHash } from "node:crypto";

/** A number from 0 to 1 that is always the same for the same words: a replay meets the same chances. */
export function chance(...words: readonly unknown[]): number {
  const digest = createHash("sha256").update(JSON.stringify(words)).digest();
  return digest.readUInt32BE() / 2 ** 32;
}

/** One of several, by such a chance. */
export function pick<T>(from: readonly T[], ...words: readonly unknown[]): T {
  return from[Math.floor(chance(...words) * from.length)]!;
}
