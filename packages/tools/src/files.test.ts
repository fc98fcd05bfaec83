import { afterAll, describe, expect, test } from "vitest";
import { benches } from "../test/bench.ts";
import { listDir } from "./list-dir.ts";
import { readFile } from "./read-file.ts";
import { writeFile } from "./write-file.ts";

const bench = benches(afterAll);

const bytes = (text: string) => ({ base64: Buffer.from(text, "latin1").toString("base64") });

describe("read_file", () => {
  test("numbers the lines and says how many there are", async () => {
    await using desk = await bench({ f: "one\ntwo\nthree\n" });
    expect((await desk.call(readFile, { path: "f" })).output).toBe(
      "f: lines 1-3 of 3\n     1\tone\n     2\ttwo\n     3\tthree",
    );
    expect((await desk.call(readFile, { path: "f", startLine: 2, endLine: 2 })).output).toBe(
      "f: lines 2-2 of 3\n     2\ttwo",
    );
    expect((await desk.call(readFile, { path: "f", startLine: 3, endLine: 99 })).output).toContain("lines 3-3 of 3");
    expect((await desk.call(readFile, { path: "f", startLine: 4 })).output).toMatch(/^NO_SUCH_LINES.*has 3 lines/);
  });

  test("is bounded, and says where to read on", async () => {
    const content = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`).join("");
    await using desk = await bench({ f: content, wide: "x".repeat(1_000_000) });
    const { output } = await desk.call(readFile, { path: "f" });
    expect(output.length).toBeLessThan(21_000);
    const next = Number(/read on with startLine (\d+)/.exec(output)?.[1]);
    expect(output).toContain(`lines 1-${next - 1} of 5000`);
    expect((await desk.call(readFile, { path: "f", startLine: next })).output).toContain(`${next}\tline ${next}\n`);
    expect((await desk.call(readFile, { path: "wide" })).output.length).toBeLessThan(3_000);
  });

  test.each([
    ["a\r\nb\r\n", "; line ends are CRLF"],
    ["a\r\nb\n", "; line ends are mixed (1 of them CRLF)"],
    ["a\nb", "; no newline at the end"],
    ["\xef\xbb\xbfa\n", "; begins with a byte order mark"],
    ["caf\xe9\n", "; not UTF-8: bytes that are no text are shown as \ufffd, and edits keep them"],
  ])("tells what %j has in it that does not show", async (content, note) => {
    await using desk = await bench({ f: bytes(content) });
    const { ok, output } = await desk.call(readFile, { path: "f" });
    expect(ok).toBe(true);
    expect(output.split("\n")[0]).toMatch(/^f: lines 1-(\d) of \1/);
    expect(output.split("\n")[0]?.endsWith(note)).toBe(true);
  });

  test("says of binary, empty and missing files and of folders what they are", async () => {
    await using desk = await bench({ b: bytes("\x89PNG\0\0"), e: "", "d/x": "" });
    expect((await desk.call(readFile, { path: "b" })).output).toBe("BINARY_FILE: b is binary (6 bytes)");
    expect((await desk.call(readFile, { path: "e" })).output).toBe("e is empty (0 lines).");
    expect((await desk.call(readFile, { path: "d/none" })).output).toMatch(/^FILE_MISSING/);
    expect((await desk.call(readFile, { path: "b/below" })).output).toMatch(/^FILE_MISSING/);
    expect((await desk.call(readFile, { path: "d" })).output).toMatch(/^IS_DIRECTORY/);
  });

  test("S1: follows a link that stays inside, and no other", async () => {
    await using desk = await bench({ "real/f": "inside\n" });
    await desk.shell("ln -s real/f good; ln -s real gooddir; ln -s /etc/passwd bad; ln -s /etc baddir");
    expect((await desk.call(readFile, { path: "good" })).output).toContain("inside");
    expect((await desk.call(readFile, { path: "gooddir/f" })).output).toContain("inside");
    expect((await desk.call(readFile, { path: "bad" })).output).toMatch(/^PATH_REFUSED/);
    expect((await desk.call(readFile, { path: "baddir/passwd" })).output).toMatch(/^PATH_REFUSED/);
  });
});

describe("write_file", () => {
  test("makes files with their folders, and replaces them, byte for byte", async () => {
    await using desk = await bench();
    const made = await desk.call(writeFile, { path: "a/b/f.txt", content: "é\r\n\n" });
    expect(made).toEqual({ ok: true, output: "Created a/b/f.txt: 2 lines, 5 bytes.", touched: ["a/b/f.txt"] });
    expect((await desk.bytes("a/b/f.txt")).toString()).toBe("é\r\n\n");
    const again = await desk.call(writeFile, { path: "a/b/f.txt", content: "" });
    expect(again.output).toBe("Replaced a/b/f.txt: 0 lines, 0 bytes.");
  });

  test("P18: keeps the mode of what it replaces", async () => {
    await using desk = await bench({ "s.sh": { ...bytes("echo 1\n"), executable: true } });
    await desk.call(writeFile, { path: "s.sh", content: "echo 2\n" });
    expect(await desk.shell("./s.sh")).toBe("2\n");
  });

  test("refuses folders, links, files below files, and paths outside", async () => {
    await using desk = await bench({ "d/x": "", f: "" });
    await desk.shell("ln -s f link; ln -s nowhere dangling");
    const output = async (path: string) => (await desk.call(writeFile, { path, content: "x" })).output;
    expect(await output("d")).toMatch(/^IS_DIRECTORY/);
    for (const path of ["link", "dangling", "f/x", "../x", "/x", "", "a\\b"])
      expect(await output(path)).toMatch(/^PATH_REFUSED/);
    expect(await desk.files()).toEqual({ "d/x": "", f: "" });
  });
});

describe("list_dir", () => {
  test("lists sorted, with what each entry is, and recursively but not into other people's code", async () => {
    await using desk = await bench({ "b.py": "12345", "a/y.py": "", "a/x/z.py": "1" });
    await desk.shell("ln -s b.py link; mkdir -p node_modules/m .git; touch node_modules/m/i.js .git/HEAD");
    expect((await desk.call(listDir, {})).output).toBe(".git/\na/\nb.py (5)\nlink (link)\nnode_modules/");
    expect((await desk.call(listDir, { path: "a", recursive: true })).output).toBe("a/x/\na/x/z.py (1)\na/y.py (0)");
    expect((await desk.call(listDir, { path: ".", recursive: true })).output).toBe(
      ".git/\na/\na/x/\na/x/z.py (1)\na/y.py (0)\nb.py (5)\nlink (link)\nnode_modules/",
    );
  });

  test("is bounded, and says of files, missing and empty folders what they are", async () => {
    const many = Object.fromEntries(Array.from({ length: 450 }, (_, index) => [`many/${index}`, ""]));
    await using desk = await bench({ ...many, f: "" });
    await desk.shell("mkdir empty");
    expect((await desk.call(listDir, { path: "many" })).output).toMatch(/\[… 50 more; list a folder below …\]$/);
    expect((await desk.call(listDir, { path: "f" })).output).toMatch(/^NOT_A_DIRECTORY/);
    expect((await desk.call(listDir, { path: "none" })).output).toMatch(/^FILE_MISSING/);
    expect((await desk.call(listDir, { path: "empty" })).output).toBe("empty is empty.");
  });
});
