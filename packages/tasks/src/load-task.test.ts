import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { InvalidInputError } from "@swarm/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadTask } from "./index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "swarm-load-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(path: string, content: string | Uint8Array): Promise<string> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content);
  return target;
}

const taskFile = (fields: object) =>
  write("task.json", JSON.stringify({ id: "greet", prompt: "Greet.", starter: { "greet.py": "" }, ...fields }));

test("a built-in task is loaded by its id, complete", async () => {
  const loaded = await loadTask("rate-limiter");
  expect(loaded).toMatchObject({ id: "rate-limiter", difficulty: 4, failureMode: "race", language: "python" });
  expect(loaded.task.source).toEqual({ files: { "rate_limiter.py": expect.stringContaining("class RateLimiter") } });
  expect(Object.keys(loaded.task.testFiles ?? {})).toEqual(["tests/test_rate_limiter.py"]);
  expect(Object.keys(loaded.task.hiddenTestFiles ?? {})).toEqual(["tests/test_rate_limiter_hidden.py"]);
});

test("files are taken as they are written out", async () => {
  const path = await taskFile({
    testFiles: { "spec/test_greet.py": "x" },
    oracle: { runner: "pytest" },
    limits: { usd: 1 },
  });
  expect(await loadTask(path)).toEqual({
    id: "greet",
    title: "greet",
    difficulty: null,
    failureMode: null,
    language: null,
    mock: null,
    task: {
      id: "greet",
      prompt: "Greet.",
      source: { files: { "greet.py": "" } },
      testFiles: { "spec/test_greet.py": "x" },
      oracle: { runner: "pytest" },
      limits: { usd: 1 },
    },
  });
});

test("a folder or file is named relative to the task file; tests are laid under tests/", async () => {
  await write("app/src/greet.mjs", "export {};\n");
  await write("app/__pycache__/left.pyc", "x");
  await write("visible/unit/greet.test.mjs", "// visible\n");
  await write("secret.test.mjs", "// hidden\n");
  const path = await taskFile({ starter: "app", testFiles: "visible", hiddenTestFiles: "secret.test.mjs" });
  const { task } = await loadTask(path);
  expect(task.source).toEqual({ files: { "src/greet.mjs": "export {};\n" } });
  expect(task.testFiles).toEqual({ "tests/unit/greet.test.mjs": "// visible\n" });
  expect(task.hiddenTestFiles).toEqual({ "tests/secret.test.mjs": "// hidden\n" });
});

test("bytes that are no UTF-8, a byte order mark and the executable bit survive", async () => {
  await write("app/latin.txt", Uint8Array.of(0x63, 0xe9));
  await write("app/marked.txt", "\ufeffx");
  await chmod(await write("app/run.sh", "#!/bin/sh\n"), 0o755);
  const { task } = await loadTask(await taskFile({ starter: "app" }));
  expect(task.source).toEqual({
    files: {
      "latin.txt": { base64: "Y+k=" },
      "marked.txt": "\ufeffx",
      "run.sh": { base64: Buffer.from("#!/bin/sh\n").toString("base64"), executable: true },
    },
  });
});

test("a source folder or repository is found from the task file; a URL stays what it is", async () => {
  await write("app/greet.py", "");
  const from = async (source: object) => (await loadTask(await taskFile({ starter: undefined, source }))).task.source;
  expect(await from({ directory: "app" })).toEqual({ directory: join(folder, "app") });
  const local = { repository: "app", revision: "main" };
  expect(await from(local)).toEqual({ repository: join(folder, "app"), revision: "main" });
  for (const repository of ["https://example.org/app.git", "git@example.org:team/app.git"]) {
    expect(await from({ repository, revision: "v1" })).toEqual({ repository, revision: "v1" });
  }
});

const mock = { plan: { title: "t", instructions: "i" }, wrong: { files: { a: "" }, says: "s" }, hint: "h" };
const refusals: [name: string, fields: object, field: string, message: RegExp][] = [
  ["an id that is no id", { id: "a b" }, "id", /letters, digits/],
  ["no prompt", { prompt: undefined }, "prompt", /is missing; it has to be of type string/],
  ["an unknown field", { testfiles: {} }, "testfiles", /no field .* did you mean testFiles\?/],
  ["an unknown limit", { limits: { euros: 1 } }, "limits.euros", /no field/],
  ["a limit below zero", { limits: { usd: -1 } }, "limits.usd", />=0/],
  ["a difficulty of six", { difficulty: 6 }, "difficulty", /<=5/],
  ["a failure mode that is none", { failureMode: "boredom" }, "failureMode", /"wrong-value"/],
  ["files of the wrong kind", { testFiles: 7 }, "testFiles", /expected string or record/],
  ["content of the wrong kind", { testFiles: { "a.py": 7 } }, 'testFiles["a.py"]', /expected string or object/],
  ["content that is no base64", { starter: { "a.png": { base64: "?" } } }, 'starter["a.png"].base64', /base64/],
  ["a path out of the workspace", { testFiles: { "../x.py": "" } }, 'testFiles["../x.py"]', /leaves the workspace/],
  ["an absolute path", { starter: { "/etc/x": "" } }, 'starter["/etc/x"]', /absolute/],
  ["a hidden path with a backslash", { hiddenTestFiles: { "a\\b": "" } }, 'hiddenTestFiles["a\\\\b"]', /backslash/],
  ["no starter", { starter: undefined }, "starter", /is missing/],
  ["a starter and a source", { source: { directory: "." } }, "source", /one of the two/],
  ["a starter that is not there", { starter: "app" }, "starter", /there is no file or folder .*app/],
  ["tests that are not there", { testFiles: "tests" }, "testFiles", /there is no file or folder .*tests/],
  ["hidden tests that are not there", { hiddenTestFiles: "a/b" }, "hiddenTestFiles", /there is no file or folder/],
  [
    "a source without a form",
    { starter: undefined, source: { path: "." } },
    "source",
    /files, directory, or repository/,
  ],
  [
    "a source folder that is not there",
    { starter: undefined, source: { directory: "x" } },
    "source.directory",
    /no folder/,
  ],
  ["a repository without a revision", { starter: undefined, source: { repository: "." } }, "source.revision", /string/],
  [
    "a repository that is not there",
    { starter: undefined, source: { repository: "../x", revision: "1" } },
    "source.repository",
    /there is no/,
  ],
  ["half a mock", { mock }, "mock.right", /is missing; it has to be of type object/],
  [
    "a mock delivery that is no text",
    { mock: { ...mock, right: { files: { "a.png": { base64: "AA==" } }, says: "s" } } },
    "mock.right.files",
    /a\.png is no text/,
  ],
];

test.each(refusals)("refuses %s", async (_name, fields, field, message) => {
  const path = await taskFile(fields);
  const error = await refusal(path);
  expect(error.field).toBe(field);
  expect(error.message).toMatch(message);
  expect(error.message).toContain(path);
});

const unreadable: [name: string, content: string | Uint8Array, message: RegExp][] = [
  ["an unquoted word", '{\n  "id": greet\n}', /line 2, column 9: unexpected "g"/],
  ["a comma before the end", '{"tests": [1, ]}', /line 1, column 15: unexpected "\]"/],
  ["a file that ends too early", '{"id": "greet"', /line 1, column 15: unexpected end/],
  ["an empty file", "", /line 1, column 1: unexpected end/],
  ["two values", "{}\n{}", /line 2, column 1: unexpected "\{"/],
  ["bytes that are no text", Uint8Array.of(0x7b, 0xff), /not UTF-8/],
  ["a list", "[]", /has to be of type object, and is of type array/],
];

test.each(unreadable)("refuses %s as a task file", async (_name, content, message) => {
  const path = await write("task.json", content);
  const error = await refusal(path);
  expect(error.field).toBe("task file");
  expect(error.message).toMatch(message);
  expect(error.message).toContain(path);
});

test("a byte order mark before the JSON is no fault", async () => {
  const path = await write("task.json", '\ufeff{"id":"a","prompt":"b","starter":{}}');
  expect((await loadTask(path)).id).toBe("a");
});

test("refuses a task file that is not there or is a folder", async () => {
  expect((await refusal(join(folder, "no.json"))).message).toMatch(/there is no .*no\.json/);
  await mkdir(join(folder, "folder.json"));
  expect((await refusal(join(folder, "folder.json"))).message).toMatch(/folder\.json cannot be read/);
});

test("refuses links in a folder, since they could lead anywhere", async () => {
  await write("outside.txt", "secret");
  await write("app/greet.py", "");
  await symlink(join(folder, "outside.txt"), join(folder, "app", "link.txt"));
  const error = await refusal(await taskFile({ starter: "app" }));
  expect(error.field).toBe("starter");
  expect(error.message).toMatch(/link\.txt is no plain file/);
});

test.each(["rate-limitr", "Rate-Limiter", "ratelimiter"])("suggests the task that %s may mean", async (id) => {
  const error = await refusal(id);
  expect(error.field).toBe("task");
  expect(error.message).toMatch(/did you mean rate-limiter\?/);
});

test.each(["", ".", "..", "../tasks/rate-limiter", "nothing like it", "constructor"])(
  "refuses the id %j and lists the known ones",
  async (id) => {
    const { message } = await refusal(id);
    expect(message).toContain("binary-search-tree, bisect-commits, csv-to-json");
    expect(message).not.toContain("did you mean");
  },
);

async function refusal(idOrPath: string): Promise<InvalidInputError> {
  const error = await loadTask(idOrPath).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(InvalidInputError);
  return error as InvalidInputError;
}
