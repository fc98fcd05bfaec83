import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { replaying } from "../test/runs/replaying.ts";
import { packagesOf, root } from "./workspace.ts";

const execute = promisify(execFile);

/** Every page that holds snippets for a reader to copy. */
const PAGES = [
  "README.md",
  ...[
    "getting-started",
    "concepts",
    "executors",
    "trajectory-format",
    "batch",
    "cli",
    "settings",
    "memory",
    "verify",
    "corpus",
  ].map((name) => `docs/${name}.md`),
  ...packagesOf().map(({ directory }) => `${directory.slice(root.length + 1)}/README.md`),
];

/** Snippets that are checked but not run, each with its reason. */
const NOT_RUN: readonly { having: RegExp; because: string }[] = [
  { having: /@swarm\/llm/, because: "it would call a provider" },
  { having: /\.read\("/, because: "it reads a log that only the reader has" },
  { having: /readPack\(readFileSync/, because: "it reads a pack that only the reader has" },
  { having: /team-module\.js/, because: "the reader writes that module" },
];

type Snippet = { name: string; code: string; runs: boolean };

function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""], index) => ({
    name: `${page.replaceAll(/\W/g, "-")}-${index}`,
    code,
    runs: !NOT_RUN.some(({ having }) => having.test(code)),
  }));
}

const snippets = PAGES.flatMap(snippetsOf);
// inside the checkout, so that the snippets find the packages as a reader's project would
const folder = join(root, ".swarm", `snippets-${process.pid}`);

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  for (const { name, code } of snippets) writeFileSync(join(folder, `${name}.ts`), `${code}\nexport {};\n`);
  const config = { extends: "../../tsconfig.json", include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the pages have snippets", () => {
  expect(snippets.length).toBeGreaterThan(10);
});

test("every snippet type-checks", async () => {
  const checked = await execute(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], {
    cwd: folder,
  }).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(checked).toBe("");
});

describe("every snippet that needs no provider runs", () => {
  test.for(snippets.filter(({ runs }) => runs))("$name", async ({ name }) => {
    const cwd = mkdtempSync(join(tmpdir(), "swarm-snippet-"));
    try {
      const argv = ["--conditions=@swarm/source", ...replaying(), join(folder, `${name}.ts`)];
      await execute(process.execPath, argv, { cwd });
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  });
});
