import { expect, test } from "vitest";
import { TEAM_NAMES } from "../../packages/cli/src/teams/names.ts";
import { diagrams } from "./diagrams.ts";

const page = (...lines: string[]) =>
  `# Teams\n\n## pair\n\nTwo.\n\n\`\`\`mermaid\nflowchart TD\n${lines.join("\n")}\n\`\`\`\n`;
const STATES = ['  start(["start"])', '  write["write"]', '  again("diagnose write")', '  done(["end"])'];

test("a diagram's ways are read by the names of its states", () => {
  const ways = ["  start --> write", "  write -->|retry| again", "  again -->|no hint| write", "  write -->|ok| done"];
  expect(diagrams(page(...STATES, ...ways)).get("pair")).toEqual([
    "start → write",
    "write → retry → diagnose write",
    "diagnose write → no hint → write",
    "write → ok → end",
  ]);
});

test.each([
  ["  write -.-> done", "neither a state nor a way:   write -.-> done"],
  ["  write -->|ok| don", "a way to don, which is no state of it"],
])("a diagram with a line that cannot be compared is an error: %s", (line, message) => {
  expect(() => diagrams(page(...STATES, line))).toThrow(message);
});

test("the page has a diagram of each team of the command", () => {
  expect([...diagrams().keys()]).toEqual(expect.arrayContaining([...TEAM_NAMES]));
  for (const [team, ways] of diagrams()) expect(new Set(ways).size, team).toBe(ways.length);
});
