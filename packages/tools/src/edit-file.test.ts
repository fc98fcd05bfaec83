import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { benches } from "../test/bench.ts";
import { type EditFileInput, editFile } from "./edit-file.ts";

const bench = benches(afterAll);

async function onFile(content: string, edit: Omit<EditFileInput, "path">) {
  await using desk = await bench({ f: { base64: Buffer.from(content, "latin1").toString("base64") } });
  const { ok, output, touched } = await desk.call(editFile, { path: "f", ...edit });
  return { ok, output, touched, after: (await desk.bytes("f")).toString("latin1") };
}

describe("a text that is there once", () => {
  test("is replaced, and the changed lines are shown", async () => {
    const content = "1\n2\n3\ndef f():\n    return 1\n6\n7\n8\n";
    const { ok, output, touched, after } = await onFile(content, { oldText: "return 1", newText: "return 2" });
    expect(after).toBe(content.replace("return 1", "return 2"));
    expect([ok, touched]).toEqual([true, ["f"]]);
    expect(output).toBe(
      "Replaced in f at line 5. The first place now reads:\n     3\t3\n     4\tdef f():\n     5\t    return 2\n     6\t6\n     7\t7",
    );
  });

  test("P1, P2: matches whatever the line ends, and new lines end like those that they replace or like most", async () => {
    const edit = { oldText: "a\nb\nc", newText: "a\nB\nB2\nc" };
    expect((await onFile("a\r\nb\r\nc\r\n", edit)).after).toBe("a\r\nB\r\nB2\r\nc\r\n");
    expect((await onFile("a\nb\r\nc\nd\n", edit)).after).toBe("a\nB\r\nB2\nc\nd\n");
    expect((await onFile("x = 1\r\ny\r\n", { oldText: "x = 1", newText: "x = 1\nz = 2" })).after).toBe(
      "x = 1\r\nz = 2\r\ny\r\n",
    );
  });

  test("a CR in the given text is meant", async () => {
    expect((await onFile("a\r\nb\n", { oldText: "a\r\n", newText: "a\n" })).after).toBe("a\nb\n");
    expect((await onFile("a\nb\n", { oldText: "a\r\nb", newText: "c" })).output).toMatch(
      /^TEXT_NOT_FOUND.*other line ends/,
    );
  });

  test("P16: bytes that are not UTF-8 and a byte order mark are kept", async () => {
    expect((await onFile("caf\xe9 = 1\nx = 2\n", { oldText: "x = 2", newText: "x = 3" })).after).toBe(
      "caf\xe9 = 1\nx = 3\n",
    );
    expect((await onFile("\xef\xbb\xbfa\nb\n", { oldText: "a\n", newText: "A\n" })).after).toBe("\xef\xbb\xbfA\nb\n");
  });

  test("what looks like a pattern of replacement is text", async () => {
    expect((await onFile("(a|b)*", { oldText: "(a|b)*", newText: "$& $1 $$" })).after).toBe("$& $1 $$");
  });

  test("a file of many lines is no trouble", async () => {
    const many = "line\r\n".repeat(300_000);
    const { after } = await onFile(`${many}x = 1\r\n${many}`, { oldText: "x = 1\n", newText: "x = 2\ny\n" });
    expect(after === `${many}x = 2\r\ny\r\n${many}`).toBe(true);
  });

  test("P18: the mode is kept", async () => {
    await using desk = await bench({
      "s.sh": { base64: Buffer.from("echo 1\n").toString("base64"), executable: true },
    });
    await desk.call(editFile, { path: "s.sh", oldText: "1", newText: "2" });
    expect(await desk.shell("./s.sh")).toBe("2\n");
  });
});

describe("a text that is not there once", () => {
  test("is refused with all lines where it is, and nothing is written", async () => {
    const { ok, output, after } = await onFile("x\ny\nx\nx\n", { oldText: "x", newText: "z" });
    expect([ok, after]).toEqual([false, "x\ny\nx\nx\n"]);
    expect(output).toMatch(/^TEXT_AMBIGUOUS: .*3 times, beginning at lines 1, 3 and 4/);
  });

  test("is ambiguous also where its places overlap", async () => {
    expect((await onFile("aaa", { oldText: "aa", newText: "b" })).output).toMatch(/^TEXT_AMBIGUOUS/);
  });

  test("is replaced everywhere with all", async () => {
    const { output, after } = await onFile("x\r\ny\nx\r\n", { oldText: "x\n", newText: "z\nz\n", all: true });
    expect(after).toBe("z\r\nz\r\ny\nz\r\nz\r\n");
    expect(output).toContain("at lines 1 and 3");
  });

  test("is answered with the closest lines and what differs in them", async () => {
    const content = "class A:\n    def total(self):\n        return self.price * self.count\n";
    const { ok, output, after } = await onFile(content, {
      oldText: "    def total(self):\n        return self.price * self.amount\n",
      newText: "",
    });
    expect([ok, after]).toEqual([false, content]);
    expect(output).toMatch(/^TEXT_NOT_FOUND/);
    expect(output).toContain(
      "     2\t    def total(self):\n     3\t        return self.price * self.count\n   not\t        return self.price * self.amount",
    );
  });

  test("is answered so too when no line of it is there as it is, and when only white space differs", async () => {
    const { output } = await onFile("a\nfoo(first, second)\n", { oldText: "foo(first, secnd)", newText: "" });
    expect(output).toContain("     2\tfoo(first, second)\n   not\tfoo(first, secnd)");
    expect((await onFile("\tx = 1\n", { oldText: "    x = 1", newText: "" })).output).toContain("white space");
    expect((await onFile("abc\n", { oldText: "zzzzz", newText: "" })).output).toContain("Nothing in the file is like");
  });

  test("is answered with where the new text is, for an edit made twice", async () => {
    expect((await onFile("a\nnew\n", { oldText: "old", newText: "new" })).output).toContain(
      "The new text is there, at line 2",
    );
  });
});

test("mistakes about the file and the input are answered with what would be right", async () => {
  await using desk = await bench({ f: "a\n", "d/x": "" });
  const output = async (edit: EditFileInput) => (await desk.call(editFile, edit)).output;
  expect(await output({ path: "none", oldText: "a", newText: "b" })).toMatch(/^FILE_MISSING/);
  expect(await output({ path: "d", oldText: "a", newText: "b" })).toMatch(/^IS_DIRECTORY/);
  expect(await output({ path: "../f", oldText: "a", newText: "b" })).toMatch(/^PATH_REFUSED/);
  expect(await output({ path: "f", oldText: "a", newText: "a" })).toMatch(/^NO_CHANGE/);
  expect(await output({ path: "f", oldText: "a", newText: "\ud800" })).toMatch(/^NOT_UNICODE/);
  expect((await desk.bytes("f")).toString()).toBe("a\n");
});

test("an edit changes the bytes of the one place and no other, whatever the line ends", async () => {
  await using desk = await bench();
  const part = fc
    .array(fc.constantFrom("a", "é", " ", "\r", "\n", "\r\n"), { maxLength: 12 })
    .map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(part, part, fc.constantFrom("x", "two\nlines"), async (before, after, newText) => {
      await desk.workspace.write("f", `${before}MARK${after}`);
      expect(await desk.call(editFile, { path: "f", oldText: "MARK", newText })).toMatchObject({ ok: true });
      const result = (await desk.bytes("f")).toString();
      expect(result.startsWith(before) && result.endsWith(after)).toBe(true);
      expect(result.slice(before.length, result.length - after.length).replace("\r\n", "\n")).toBe(newText);
    }),
  );
});
