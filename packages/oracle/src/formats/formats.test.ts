import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ctrf } from "./ctrf.ts";
import { junit } from "./junit.ts";
import { tap } from "./tap.ts";

const escaped = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")
    .replace(/[\t\n\r]/g, (c) => `&#${c.charCodeAt(0)};`);
/** Text that the format itself can carry. */
const xmlText = fc
  .string({ unit: "grapheme", minLength: 1 })
  .filter((text) => !/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(text));

describe("JUnit XML", () => {
  it("tells every kind of result, at any depth", () => {
    const { tests, problem } = junit(`<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="outer" tests="5"><testsuite name="inner" tests="4">
<testcase classname="m.T" name="ok" time="0.25" file="t.py" line="3"><system-out>said</system-out></testcase>
<testcase classname="m.T" name="bad"><failure message="1 != 2" type="AssertionError">t.py:4: 1 != 2</failure></testcase>
<testcase name="broken"><error message="no" type="OSError"><![CDATA[<trace>]]></error></testcase>
<testcase name="skip"><skipped message="because"/></testcase></testsuite>
<testcase name="known"><skipped type="pytest.xfail" message="bug"/></testcase></testsuite></testsuites>`);
    expect(problem).toBeNull();
    expect(tests).toMatchObject([
      { names: ["m.T", "ok"], status: "passed", ms: 250, file: "t.py", line: 3, output: "said", message: null },
      { names: ["m.T", "bad"], status: "failed", message: "t.py:4: 1 != 2", errorType: "AssertionError" },
      { names: ["broken"], status: "error", message: "no\n<trace>", errorType: "OSError" },
      { names: ["skip"], status: "skipped", message: "because", errorType: null },
      { names: ["known"], status: "xfailed" },
    ]);
  });

  it("keeps any name", () => {
    fc.assert(
      fc.property(xmlText, xmlText, (suite, name) => {
        const text = `<testsuite><testcase classname="${escaped(suite)}" name="${escaped(name)}"/></testsuite>`;
        expect(junit(text).tests[0]?.names).toEqual([suite, name]);
      }),
    );
  });

  it("says when a suite holds fewer tests than it counts", () => {
    expect(junit('<testsuite name="s" tests="2"><testcase name="a"/></testsuite>').problem).toContain(
      "counts 2 tests and holds 1",
    );
  });

  it.each(["", "5 passed", "<testsuite>", "<html></html>", '<testsuite><testcase name="a"></testsuite>'])(
    "refuses %j",
    (text) => {
      expect(() => junit(text)).toThrow();
    },
  );

  it("expands no entity that a report defines", () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>`;
    expect(() => junit(bomb)).toThrow();
  });
});

describe("TAP", () => {
  it("tells every kind of result, and subtests by their path", () => {
    const { tests, problem } = tap(`TAP version 14
noise of the code under test
ok 1 - a - b # time=5ms
not ok 2 - c \\# d
  ---
  message: "boom"
  at:
    line: 3
  ...
ok 3 - s # SKIP no reason
not ok 4 - t # TODO later
ok 5 - u # TODO done
# Subtest: nest
    ok 1 - in
    not ok 2 - out
    1..2
not ok 6 - nest
ok 7
1..7
`);
    expect(problem).toBeNull();
    expect(tests).toMatchObject([
      { names: ["a - b"], status: "passed", ms: 5 },
      { names: ["c # d"], status: "failed", message: 'message: boom\nat: {"line":3}' },
      { names: ["s"], status: "skipped", message: "no reason" },
      { names: ["t"], status: "xfailed", message: "later" },
      { names: ["u"], status: "xpassed" },
      { names: ["nest", "in"], status: "passed" },
      { names: ["nest", "out"], status: "failed" },
      { names: ["7"], status: "passed" },
    ]);
  });

  it.each([
    ["fewer tests than planned", "1..3\nok 1\n"],
    ["no plan", "ok 1\n"],
    ["a bail out", "1..2\nok 1\nBail out! no database\n"],
    ["a suite that failed by itself", "# Subtest: s\n    ok 1 - a\n    1..2\nnot ok 1 - s\n1..1\n"],
  ])("says that it is not whole for %s", (_, text) => {
    expect(tap(text).problem).not.toBeNull();
  });

  it("refuses what is no TAP, and never throws for what may be", () => {
    expect(() => tap("5 passed in 0.1s\n")).toThrow("neither a plan nor a test");
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom("ok 1", "not ok 2", "1..2", "    ", "  ---", "  ...", "# "), fc.string())),
        (lines) => {
          const text = `1..0\n${lines.join("\n")}`;
          expect(tap(text).tests.every(({ names }) => names.length > 0)).toBe(true);
        },
      ),
    );
  });
});

describe("CTRF", () => {
  const report = (tests: object[], count = tests.length) =>
    JSON.stringify({ results: { tool: { name: "x" }, summary: { tests: count }, tests } });

  it("tells every kind of result", () => {
    const { tests, problem } = ctrf(
      report([
        { name: "a", status: "passed", duration: 5, filePath: "a.js", suite: ["s", "t"] },
        { name: "b", status: "failed", duration: 1, message: "1 != 2", trace: "at b.js:3", suite: "s", line: 3 },
        { name: "c", status: "pending", duration: 0 },
        { name: "d", status: "other", duration: 0, stdout: ["said"] },
      ]),
    );
    expect(problem).toBeNull();
    expect(tests).toMatchObject([
      { names: ["s", "t", "a"], status: "passed", ms: 5, file: "a.js" },
      { names: ["s", "b"], status: "failed", message: "1 != 2\nat b.js:3", line: 3 },
      { names: ["c"], status: "skipped" },
      { names: ["d"], status: "error", output: "said" },
    ]);
  });

  it("says when it holds fewer tests than it counts, and refuses another form", () => {
    expect(ctrf(report([{ name: "a", status: "passed" }], 2)).problem).toContain("counts 2 tests and holds 1");
    for (const text of ["", "{}", '{"results": {}}', report([{ name: "a", status: "fine" }])]) {
      expect(() => ctrf(text)).toThrow();
    }
  });
});
