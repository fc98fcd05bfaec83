import { expect, test } from "vitest";
import { firstProgram, withStandIns } from "./hello-world.ts";

const README = `# Title

\`\`\`sh
npm install
\`\`\`

\`\`\`ts
import { runTask } from "@swarm/core";
import { anthropic } from "@swarm/llm/anthropic";

anthropic("model");
\`\`\`

\`\`\`ts
second();
\`\`\`
`;

test("the program is the first block of TypeScript", () => {
  const program = firstProgram(README);
  expect(program).toMatch(/^import \{ runTask \}/);
  expect(program).toMatch(/anthropic\("model"\);\n$/);
});

test("a README without a program is told", () => {
  expect(() => firstProgram("# Title\n\n```sh\nls\n```\n")).toThrow("README.md has no ```ts block");
});

test("to run it, the provider's import alone is turned to a scripted one", () => {
  const program = firstProgram(README);
  const { text, files } = withStandIns(program);
  expect(Object.keys(files)).toEqual(["scripted-anthropic.ts"]);
  expect(text).toBe(program.replace("@swarm/llm/anthropic", "./scripted-anthropic.ts"));
});

test("a program that needs no provider stays as it is", () => {
  expect(withStandIns(`import "@swarm/core";\n`)).toEqual({ text: `import "@swarm/core";\n`, files: {} });
});
