import { inject } from "vitest";

/** The options of Node with which a process that a test starts replays each of its runs, and fails it where that differs. */
export function replaying(): string[] {
  const url = new URL("child.ts", import.meta.url);
  url.searchParams.set("notes", inject("replays"));
  return [`--import=${url}`];
}
