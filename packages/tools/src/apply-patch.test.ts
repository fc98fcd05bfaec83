import { PathError } from "@swarm/core";
import { afterAll, describe, expect, test } from "vitest";
import { benches } from "../test/bench.ts";
import { applyPatch } from "./apply-patch.ts";

const bench = benches(afterAll);

const latin1 = (text: string) => ({ base64: Buffer.from(text, "latin1").toString("base64") });

/** Applies a patch to one file and gives the tool's answer with the file's bytes after it, one character a byte. */
async function onFile(content: string, patch: string, path = "f.txt") {
  await using desk = await bench({ [path]: latin1(content) });
  const { ok, output, touched } = await desk.call(applyPatch, { patch });
  return { ok, output, touched, after: (await desk.bytes(path)).toString("latin1") };
}

const header = "--- a/f.txt\n+++ b/f.txt\n";

describe("line ends", () => {
  test("P1: a patch with LF for a file with CRLF changes one line and keeps all ends", async () => {
    const patch = `${header}@@ -1,3 +1,3 @@\n foo\n-bar\n+qux\n baz\n`;
    const { after, output } = await onFile("foo\r\nbar\r\nbaz\r\n", patch);
    expect(after).toBe("foo\r\nqux\r\nbaz\r\n");
    expect(output).toContain("those of the file were kept");
  });

  test("P1: lines that it adds get CRLF too", async () => {
    const patch = `${header}@@ -1,3 +1,4 @@\n foo\n-bar\n+qux\n+quux\n baz\n`;
    expect((await onFile("foo\r\nbar\r\nbaz\r\n", patch)).after).toBe("foo\r\nqux\r\nquux\r\nbaz\r\n");
  });

  test("a patch with CRLF for a file with LF adds LF", async () => {
    const patch = `${header}@@ -1,3 +1,4 @@\n foo\n-bar\n+qux\n+quux\n baz\n`.replaceAll("\n", "\r\n");
    expect((await onFile("foo\nbar\nbaz\n", patch)).after).toBe("foo\nqux\nquux\nbaz\n");
  });

  test("P2: in a file with mixed ends a new line ends like the one that it replaces, and the others are untouched", async () => {
    const patch = `${header}@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n`;
    expect((await onFile("a\r\nb\nc\r\n", patch)).after).toBe("a\r\nB\nc\r\n");
    const other = `${header}@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n`;
    expect((await onFile("a\nb\r\nc\n", other)).after).toBe("a\nB\r\nc\n");
  });

  test("a line without a counterpart ends like most of the file", async () => {
    const patch = `${header}@@ -1,2 +1,3 @@\n a\n+new\n b\n`;
    expect((await onFile("a\r\nb\nc\r\nd\r\n", patch)).after).toBe("a\r\nnew\r\nb\nc\r\nd\r\n");
  });

  test("a patch that changes nothing but the ends does so", async () => {
    const patch = `${header}@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n`;
    expect((await onFile("a\r\nb\n", patch)).after).toBe("a\nb\n");
  });

  test("P6: a new file keeps the CRLF of its added lines", async () => {
    await using desk = await bench({});
    await desk.call(applyPatch, { patch: "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\r\n+b\r\n" });
    expect((await desk.bytes("new.txt")).toString()).toBe("a\r\nb\r\n");
  });

  test("a lone CR and the characters that other languages take for line breaks are part of their line", async () => {
    const content = Buffer.from("a\rb\u2028c\u0085d\fe\nx\n").toString("latin1");
    const patch = `${header}@@ -1,2 +1,2 @@\n a\rb\u2028c\u0085d\fe\n-x\n+y\n`;
    expect((await onFile(content, patch)).after).toBe(content.replace("x\n", "y\n"));
  });
});

describe("the end of the text", () => {
  test("P3: a patch that lost its last line feed applies as if it were there", async () => {
    const patch = `${header}@@ -1,3 +1,3 @@\n foo\n-bar\n+qux\n baz`;
    expect((await onFile("foo\nbar\nbaz\n", patch)).after).toBe("foo\nqux\nbaz\n");
  });

  test("P3: also when its last line is an added one, whose end the file then tells", async () => {
    const patch = `${header}@@ -1,2 +1,2 @@\n foo\r\n-bar\r\n+qux`;
    expect((await onFile("foo\r\nbar\r\n", patch)).after).toBe("foo\r\nqux\r\n");
    const created = "--- /dev/null\n+++ b/f2.txt\n@@ -0,0 +1 @@\n+only";
    await using desk = await bench({});
    await desk.call(applyPatch, { patch: created });
    expect((await desk.bytes("f2.txt")).toString()).toBe("only\n");
  });

  test("P3: a last context line that is a single blank counts, and does no harm when it was stripped", async () => {
    const patch = `${header}@@ -1,3 +1,3 @@\n foo\n-bar\n+qux\n \n`;
    for (const text of [patch, patch.slice(0, -1), patch.slice(0, -2), patch.trim()]) {
      expect((await onFile("foo\nbar\n\n", text)).after).toBe("foo\nqux\n\n");
    }
  });

  const marker = "\\ No newline at end of file\n";
  test.each([
    ["a\nold", `-old\n${marker}+new\n`, "a\nnew\n"],
    ["a\nold\n", `-old\n+new\n${marker}`, "a\nnew"],
    ["a\nold", `-old\n${marker}+new\n${marker}`, "a\nnew"],
    ["a\nold", `-old\n${marker}+new\n+more\n${marker}`, "a\nnew\nmore"],
  ])("P4: %j with %j", async (before, body, after) => {
    const news = body.match(/^\+/gm)?.length ?? 0;
    expect((await onFile(before, `${header}@@ -1,2 +1,${news + 1} @@\n a\n${body}`)).after).toBe(after);
  });

  test("P4: a marker on a context line keeps the file without a newline", async () => {
    const patch = `${header}@@ -1,2 +1,2 @@\n-a\n+A\n b\n${marker}`;
    expect((await onFile("a\nb", patch)).after).toBe("A\nb");
  });

  test("P4: markers in the same hunk do not end it: both last lines change", async () => {
    const patch = `${header}@@ -1,3 +1,3 @@\n a\n-b\n-c\n${marker}+B\n+C\n${marker}`;
    expect((await onFile("a\nb\nc", patch)).after).toBe("a\nB\nC");
  });

  test("a patch without a marker leaves a file without its last newline as it is there", async () => {
    expect((await onFile("a\nold", `${header}@@ -1,2 +1,2 @@\n a\n-old\n+new\n`)).after).toBe("a\nnew");
    expect((await onFile("a\nlast", `${header}@@ -1,2 +1,3 @@\n a\n last\n+more\n`)).after).toBe("a\nlast\nmore");
  });

  test("a marker on a line that is not the file's last is refused", async () => {
    const { ok, output, after } = await onFile("a\nb\nc\n", `${header}@@ -1,2 +1,2 @@\n a\n-b\n+B\n${marker}`);
    expect([ok, after]).toEqual([false, "a\nb\nc\n"]);
    expect(output).toMatch(/^HUNK_NOT_FOUND.*others follow/s);
  });
});

describe("bytes", () => {
  test("P16: a file that is not UTF-8 is edited with its other bytes kept", async () => {
    const { after } = await onFile("caf\xe9 = 1\nx = 2\n", `${header}@@ -2 +2 @@\n-x = 2\n+x = 3\n`);
    expect(after).toBe("caf\xe9 = 1\nx = 3\n");
  });

  test("a byte order mark that the patch does not show is kept, and one that it shows is the patch's", async () => {
    const silent = `${header}@@ -1,2 +1,2 @@\n-a\n+A\n b\n`;
    expect((await onFile("\xef\xbb\xbfa\nb\n", silent)).after).toBe("\xef\xbb\xbfA\nb\n");
    const removing = `${header}@@ -1,2 +1,2 @@\n-\ufeffa\n+a\n b\n`;
    expect((await onFile("\xef\xbb\xbfa\nb\n", removing)).after).toBe("a\nb\n");
  });

  test("a file of many lines is no trouble", async () => {
    const many = "line\r\n".repeat(300_000);
    const { after } = await onFile(`${many}x = 1\r\n${many}`, `${header}@@\n line\n-x = 1\n+x = 2\n line\n`);
    expect(after === `${many}x = 2\r\n${many}`).toBe(true);
  });

  test("P18: the executable bit stays, comes and goes with the patch, and moves with a file", async () => {
    const script = { base64: Buffer.from("#!/bin/sh\necho 1\n").toString("base64"), executable: true };
    await using desk = await bench({ "a.sh": script, "b.sh": script, "c.sh": script, "d.sh": "echo\n" });
    const patch = [
      "--- a/a.sh\n+++ b/a.sh\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo 1\n+echo 2\n",
      "diff --git a/b.sh b/sub/b2.sh\nsimilarity index 100%\nrename from b.sh\nrename to sub/b2.sh\n",
      "diff --git a/c.sh b/c.sh\nold mode 100755\nnew mode 100644\n",
      "diff --git a/d.sh b/d.sh\nold mode 100644\nnew mode 100755\n",
      "diff --git a/e.sh b/e.sh\nnew file mode 100755\n--- /dev/null\n+++ b/e.sh\n@@ -0,0 +1 @@\n+echo\n",
    ].join("");
    expect(await desk.call(applyPatch, { patch })).toMatchObject({ ok: true });
    const modes = await desk.shell(
      "for f in a.sh sub/b2.sh c.sh d.sh e.sh; do test -x $f && echo yes || echo no; done",
    );
    expect(modes).toBe("yes\nyes\nno\nyes\nyes\n");
    expect((await desk.bytes("a.sh")).toString()).toBe("#!/bin/sh\necho 2\n");
  });
});

describe("paths", () => {
  test("P8: git's quotes and octal escapes", async () => {
    const quoted = '"a/my file \\303\\251.txt"';
    const patch = `diff --git ${quoted} ${quoted.replace("a/", "b/")}\nindex 1..2 100644\n--- ${quoted}\n+++ ${quoted.replace("a/", "b/")}\n@@ -1 +1 @@\n-x\n+y\n`;
    expect(await onFile("x\n", patch, "my file é.txt")).toMatchObject({
      ok: true,
      after: "y\n",
      touched: ["my file é.txt"],
    });
  });

  test("P8: unquoted paths with blanks and other letters, and git's tab behind them", async () => {
    const patch = "--- a/my file é.txt\t\n+++ b/my file é.txt\t\n@@ -1 +1 @@\n-x\n+y\n";
    expect(await onFile("x\n", patch, "my file é.txt")).toMatchObject({ ok: true, after: "y\n" });
  });

  test("P8: a path that is not UTF-8 is refused and not mangled", async () => {
    const patch = '--- "a/caf\\351.txt"\n+++ "b/caf\\351.txt"\n@@ -1 +1 @@\n-x\n+y\n';
    expect((await onFile("x\n", patch)).output).toMatch(/^PATH_NOT_UTF8/);
  });

  test("paths without git's prefixes, and a folder that is really called a", async () => {
    const body = "@@ -1 +1 @@\n-x\n+y\n";
    expect((await onFile("x\n", `--- src/f\n+++ src/f\n${body}`, "src/f")).after).toBe("y\n");
    expect((await onFile("x\n", `--- a/f\n+++ a/f\n${body}`, "a/f")).after).toBe("y\n");
    expect((await onFile("x\n", `--- a/a/f\n+++ b/a/f\n${body}`, "a/f")).after).toBe("y\n");
  });

  test.each(["../x", "/etc/x", "a/../../x", "C:/x", "a\\x"])("S3: %s is refused", async (path) => {
    await using desk = await bench({});
    for (const patch of [
      `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\n`,
      `--- /dev/null\n+++ ${path}\n@@ -0,0 +1 @@\n+x\n`,
    ]) {
      const { ok, output } = await desk.call(applyPatch, { patch });
      expect(ok).toBe(false);
      expect(output).toMatch(/^PATH_REFUSED/);
    }
  });
});

describe("places", () => {
  const twins = "def a():\n    x = 1\n    return x\n\ndef b():\n    x = 1\n    return x\n";
  const body = "     x = 1\n-    return x\n+    return -x\n";
  const second = twins.replace(/return x\n$/, "return -x\n");

  test("P14: a hunk without numbers that fits twice is refused, and both lines are named", async () => {
    const { ok, output, after } = await onFile(twins, `${header}@@\n${body}`);
    expect([ok, after]).toEqual([false, twins]);
    expect(output).toMatch(/^HUNK_AMBIGUOUS.*lines 2 and 6/s);
  });

  test("P14: so is one with wrong numbers", async () => {
    const { ok, output, after } = await onFile(twins, `${header}@@ -4,2 +4,2 @@\n${body}`);
    expect([ok, after]).toEqual([false, twins]);
    expect(output).toMatch(/^HUNK_AMBIGUOUS.*lines 2 and 6.*says line 4/s);
  });

  test("P14: right numbers decide", async () => {
    expect((await onFile(twins, `${header}@@ -6,2 +6,2 @@\n${body}`)).after).toBe(second);
  });

  test("P14: so do numbers that are off by as much as those of the hunk before", async () => {
    const patch = `${header}@@ -1,1 +1,1 @@\n-def a():\n+def c():\n@@ -6,2 +6,2 @@\n${body}`;
    const { ok, after } = await onFile(`# new\n${twins}`, patch);
    expect([ok, after]).toEqual([true, `# new\n${second}`.replace("def a", "def c")]);
  });

  test("P14: the line named behind @@ decides, and only for the block that it opens", async () => {
    const sections = (anchor: string, lines = body) =>
      `*** Begin Patch\n*** Update File: f.txt\n@@ ${anchor}\n${lines}*** End Patch`;
    expect((await onFile(twins, sections("def b():"))).after).toBe(second);
    const stale = twins.replace("x = 1", "x = 2");
    const { ok, output, after } = await onFile(stale, sections("def a():"));
    expect([ok, after]).toEqual([false, stale]);
    expect(output).toMatch(/^HUNK_NOT_FOUND.*not below.*line 1\).*line 6/s);
    expect((await onFile(twins, sections("def"))).output).toMatch(/^HUNK_AMBIGUOUS.*lines 1 and 5/s);
    expect((await onFile(twins, sections("def c():"))).output).toMatch(/^HUNK_NOT_FOUND.*nowhere/s);
  });

  test("P15: a stale hunk does not bind to a near copy, and the closest lines are shown", async () => {
    const file = "start\n  total = price * count\n  return total\nend\n";
    const { ok, output, after } = await onFile(
      file,
      `${header}@@ -2,2 +2,2 @@\n-  total = price * amount\n+  total = 0\n   return total\n`,
    );
    expect([ok, after]).toEqual([false, file]);
    expect(output).toMatch(/^HUNK_NOT_FOUND/);
    expect(output).toContain(
      "     2\t  total = price * count\n   not\t  total = price * amount\n     3\t  return total",
    );
  });

  test("P15: white space is not passed over", async () => {
    const file = "if x:\n\ty = 1\n";
    const { ok, output, after } = await onFile(file, `${header}@@ -1,2 +1,2 @@\n if x:\n-    y = 1\n+    y = 2\n`);
    expect([ok, after]).toEqual([false, file]);
    expect(output).toContain("white space");
  });

  test("a hunk that is at another line than its header says is applied there, and that is told", async () => {
    const { output, after } = await onFile("0\n1\n2\na\nb\n", `${header}@@ -1,2 +1,2 @@\n a\n-b\n+B\n`);
    expect(after).toBe("0\n1\n2\na\nB\n");
    expect(output).toContain("found at lines 4-5, though its header says 1");
  });

  test("lines that are only added fit nowhere in particular", async () => {
    expect((await onFile("a\n", `${header}@@ -1,0 +2 @@\n+b\n`)).output).toMatch(/^HUNK_AMBIGUOUS/);
    const atEnd = "*** Begin Patch\n*** Update File: f.txt\n@@\n+b\n*** End of File\n*** End Patch";
    expect((await onFile("a\r\nb\r\n", atEnd.replace("+b", "+c"))).after).toBe("a\r\nb\r\nc\r\n");
  });

  test("a patch that was applied already says so", async () => {
    const { output } = await onFile("a\nB\n", `${header}@@ -1,2 +1,2 @@\n a\n-b\n+B\n`);
    expect(output).toMatch(/^HUNK_NOT_FOUND.*line 1: it may have been applied already/s);
  });

  test("two hunks that change one line are refused", async () => {
    const hunk = "@@\n a\n-b\n+B\n";
    expect((await onFile("a\nb\n", `${header}${hunk}${hunk}`)).output).toMatch(/^HUNKS_OVERLAP/);
  });
});

describe("several files", () => {
  const files = { "one.txt": "1\n", "two.txt": "2\n", "three.txt": "3\n" };

  test("P19: when the third does not fit nothing is written, and file 3, hunk 1 is named", async () => {
    await using desk = await bench(files);
    const change = (name: string, old: string) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-${old}\n+new\n`;
    const patch = change("one.txt", "1") + change("two.txt", "2") + change("three.txt", "no");
    const { ok, output } = await desk.call(applyPatch, { patch });
    expect(ok).toBe(false);
    expect(output).toMatch(/file 3 of 3 \(three\.txt\), hunk 1 \(line 13 of the patch\)/);
    expect(await desk.files()).toEqual(files);
  });

  test("P19: when writing one fails what was written before is taken back", async () => {
    await using desk = await bench({ ...files, "run.sh": { base64: "", executable: true } });
    const before = await desk.files();
    const patch =
      "*** Begin Patch\n*** Delete File: run.sh\n*** Update File: one.txt\n-1\n+new\n*** Add File: made.txt\n+x\n*** Update File: two.txt\n-2\n+new\n*** End Patch";
    const failing = desk.withWorkspace({
      write: async (path, data) => {
        if (path === "two.txt" && String(data) !== "2\n") throw new PathError(path, "is refused for this test");
        await desk.workspace.write(path, data);
      },
    });
    expect((await failing.call(applyPatch, { patch })).output).toMatch(/^PATH_REFUSED/);
    expect(await desk.files()).toEqual(before);
    expect(await desk.shell("test -x run.sh && echo yes")).toBe("yes\n");
  });

  test("a new file is made over none that appears meanwhile", async () => {
    await using desk = await bench(files);
    const meddled = desk.withWorkspace({
      write: async (path, data, options) => {
        if (path === "new.txt") await desk.workspace.write(path, "theirs");
        await desk.workspace.write(path, data, options);
      },
    });
    const patch = "*** Begin Patch\n*** Update File: one.txt\n-1\n+new\n*** Add File: new.txt\n+x\n*** End Patch";
    expect((await meddled.call(applyPatch, { patch })).output).toMatch(/^FILE_EXISTS: "new\.txt" is there already/);
    expect(await desk.files()).toEqual({ ...files, "new.txt": "theirs" });
  });

  test("P20: four mistakes, four codes, and nothing written", async () => {
    await using desk = await bench({ "f.txt": "a\nb\n", "d/x": "" });
    const codes = [];
    for (const patch of [
      "--- /dev/null\n+++ b/f.txt\n@@ -0,0 +1 @@\n+x\n",
      "--- a/f.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-other\n",
      "--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-a\n+b\n",
      "--- a/d\n+++ b/d\n@@ -1 +1 @@\n-a\n+b\n",
    ]) {
      const { ok, output } = await desk.call(applyPatch, { patch });
      expect(ok).toBe(false);
      codes.push(output.split(":", 1)[0]);
    }
    expect(codes).toEqual(["FILE_EXISTS", "DELETE_MISMATCH", "FILE_MISSING", "IS_DIRECTORY"]);
    expect(await desk.files()).toEqual({ "f.txt": "a\nb\n", "d/x": "" });
  });

  test("P20: a deletion that leaves lines over is a mismatch too", async () => {
    await using desk = await bench({ "f.txt": "a\nb\n" });
    const { output } = await desk.call(applyPatch, { patch: "--- a/f.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" });
    expect(output).toMatch(/^DELETE_MISMATCH.*"b"/);
  });

  test("P11, P12: creates, deletes, renames with changes, and empty files", async () => {
    await using desk = await bench({ "old.txt": "a\nb\n", "gone.txt": "x\n", "empty.txt": "", "keep.txt": "k\n" });
    const patch = [
      "diff --git a/pkg/new.py b/pkg/new.py\nnew file mode 100644\nindex 0000000..1\n--- /dev/null\n+++ b/pkg/new.py\n@@ -0,0 +1 @@\n+n\n\\ No newline at end of file\n",
      "diff --git a/pkg/e.py b/pkg/e.py\nnew file mode 100644\nindex 0000000..e69de29\n",
      "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
      "diff --git a/empty.txt b/empty.txt\ndeleted file mode 100644\nindex e69de29..0000000\n",
      "diff --git a/old.txt b/sub/new.txt\nsimilarity index 50%\nrename from old.txt\nrename to sub/new.txt\n--- a/old.txt\n+++ b/sub/new.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
    ].join("");
    const { ok, touched } = await desk.call(applyPatch, { patch });
    expect(ok).toBe(true);
    expect(touched).toEqual(["empty.txt", "gone.txt", "old.txt", "pkg/e.py", "pkg/new.py", "sub/new.txt"]);
    expect(await desk.files()).toEqual({
      "pkg/new.py": "n",
      "pkg/e.py": "",
      "sub/new.txt": "a\nB\n",
      "keep.txt": "k\n",
    });
  });

  test("files that change names with each other", async () => {
    await using desk = await bench({ a: "1\n", b: "2\n" });
    const rename = (from: string, to: string) => `diff --git a/${from} b/${to}\nrename from ${from}\nrename to ${to}\n`;
    await desk.call(applyPatch, { patch: rename("a", "b") + rename("b", "a") });
    expect(await desk.files()).toEqual({ a: "2\n", b: "1\n" });
  });

  test("a file that becomes a folder", async () => {
    await using desk = await bench({ a: "1\n" });
    const patch = "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n--- /dev/null\n+++ b/a/b\n@@ -0,0 +1 @@\n+2\n";
    expect(await desk.call(applyPatch, { patch })).toMatchObject({ ok: true });
    expect(await desk.files()).toEqual({ "a/b": "2\n" });
  });

  test("a folder that becomes a file, when all that is in it goes", async () => {
    await using desk = await bench({ "a/b/c": "1\n" });
    const gone = "--- a/a/b/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n";
    const made = "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+2\n";
    expect((await desk.call(applyPatch, { patch: made })).output).toMatch(/^IS_DIRECTORY.*a\/b\/c in it/s);
    const failing = desk.withWorkspace({
      write: async (path, data) => {
        if (path === "a") throw new PathError(path, "is refused for this test");
        await desk.workspace.write(path, data);
      },
    });
    expect(await failing.call(applyPatch, { patch: made + gone })).toMatchObject({ ok: false });
    expect(await desk.files()).toEqual({ "a/b/c": "1\n" });
    expect(await desk.call(applyPatch, { patch: made + gone })).toMatchObject({ ok: true });
    expect(await desk.files()).toEqual({ a: "2\n" });
  });

  test("the *** Begin Patch form: add, update, move, delete", async () => {
    await using desk = await bench({ "u.txt": "a\r\nb\r\nc\r\n", "m.txt": "m\n", "d.txt": "d\n" });
    const patch =
      "*** Begin Patch\n*** Add File: n/new.txt\n+one\n+\n*** Update File: u.txt\n a\n-b\n+B\n@@\n-c\n+C\n*** Update File: m.txt\n*** Move to: n/m.txt\n-m\n+M\n*** Delete File: d.txt\n*** End Patch\n";
    expect(await desk.call(applyPatch, { patch })).toMatchObject({ ok: true });
    expect(await desk.files()).toEqual({ "n/new.txt": "one\n\n", "u.txt": "a\r\nB\r\nC\r\n", "n/m.txt": "M\n" });
  });

  test("S2: a link is not written through", async () => {
    await using desk = await bench({ "real.txt": "a\n" });
    await desk.shell("ln -s real.txt link.txt; ln -s nowhere dangling");
    const change = "--- a/link.txt\n+++ b/link.txt\n@@ -1 +1 @@\n-a\n+b\n";
    expect((await desk.call(applyPatch, { patch: change })).output).toMatch(/^IS_LINK/);
    const made = "--- /dev/null\n+++ b/dangling\n@@ -0,0 +1 @@\n+b\n";
    expect((await desk.call(applyPatch, { patch: made })).output).toMatch(/^FILE_EXISTS/);
    expect((await desk.bytes("real.txt")).toString()).toBe("a\n");
  });
});

describe("what models write", () => {
  test("a header that counts wrong is taken as it is written, and that is told", async () => {
    const { output, after } = await onFile("a\nb\nc\n", `${header}@@ -1,9 +1,2 @@\n a\n-b\n+B\n+BB\n c\n`);
    expect(after).toBe("a\nB\nBB\nc\n");
    expect(output).toContain("counts other lines than its 3 old and 4 new ones");
  });

  test("prose, a code fence, and git's mail form around a patch", async () => {
    const diff = `${header}@@ -1 +1 @@\n-a\n+b\n`;
    for (const patch of [
      `Here is it:\n\`\`\`diff\n${diff}\`\`\`\nDone.\n`,
      `From 1 Mon\nSubject: x\n---\n f.txt | 2 +-\n\n${diff}-- \n2.39.5\n\n`,
    ]) {
      expect((await onFile("a\n", patch)).after).toBe("b\n");
    }
  });

  test("removed and added lines that look like file headers", async () => {
    const patch = `${header}@@ -1,2 +1,2 @@\n x\n--- comment\n+++ other\n`;
    expect((await onFile("x\n-- comment\n", patch)).after).toBe("x\n++ other\n");
  });

  test.each([
    ["a line without its sign", `${header}@@ -1,2 +1,2 @@\n-a\n+b\nnext\n`, "line 6"],
    ["a hunk without a file", "@@ -1 +1 @@\n-a\n+b\n", "line 1"],
    ["a file without a hunk", header, "line 3"],
    ["a cut *** Begin Patch", "*** Begin Patch\n*** Update File: f.txt\n-a\n+b\n", "line 5"],
    ["nothing at all", "hello\n", "names no file"],
    ["a combined diff", `${header}@@@ -1 -1 +1 @@@\n--a\n++b\n`, "line 3"],
    ["a change of name without git's lines", "--- a/f.txt\n+++ b/g.txt\n@@ -1 +1 @@\n-a\n+b\n", "rename from"],
  ])("%s is refused and its place named", async (_, patch, place) => {
    const { ok, output, after } = await onFile("a\n", patch);
    expect([ok, after]).toEqual([false, "a\n"]);
    expect(output).toMatch(/^PATCH_INVALID/);
    expect(output).toContain(place);
  });

  test.each([
    "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+f.txt\n\\ No newline at end of file\n",
    "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n",
    "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZ\n",
  ])("links and binary files are refused", async (patch) => {
    expect((await onFile("a\n", patch)).output).toMatch(/^PATCH_UNSUPPORTED/);
  });
});
