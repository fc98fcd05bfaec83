import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, it, vi } from "vitest";
import { openLab, statuses } from "./lab.ts";

// Runners that are slow to start, some of them several times a test.
vi.setConfig({ testTimeout: 120_000 });

const lab = await openLab();
afterAll(() => lab[Symbol.asyncDispose]());

/** Tests of a runner, which are named as not run on a machine without its program. */
function describeWith(program: string, name: string, tests: () => void): void {
  const { error } = spawnSync(program, ["version"]);
  if (error) it.skip(`${name}: not tried, since ${program} cannot be started here (${error.message})`, () => {});
  else describe(name, tests);
}

describeWith("go", "what a go test run reports", () => {
  const go = (files: Record<string, string>, options?: Parameters<typeof lab.run>[2]) =>
    lab.run(
      "go test",
      { "go.mod": "module example.com/calc\n\ngo 1.18\n", ...files },
      { timeoutMs: 30_000, ...options },
    );
  const test = (body: string) => `package calc\n\nimport "testing"\n\n${body}`;
  const CODE = "package calc\n\nfunc Add(a, b int) int { return a - b }\n";

  it("reports tests and subtests by file, with message and place", async () => {
    const files = {
      "calc.go": CODE,
      "calc_test.go": test(`func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("Add(1, 2) = %d, want 3", got)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"1 + 1", "a/b", "é [0]", "PASS: x"} {
		t.Run(name, func(t *testing.T) {})
	}
}

func TestSkipped(t *testing.T) { t.Skip("because - reasons") }
`),
      "deep/deep.go": 'package deep\n\nfunc Get(m map[string]int) { m["a"] = 1 }\n',
      "deep/deep_test.go": `package deep\n\nimport "testing"\n\nfunc TestGet(t *testing.T) {\n\tGet(nil)\n}\n`,
    };
    const { report, version, durations } = await go(files);
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({
      "calc_test.go::TestAdd": "failed",
      "calc_test.go::TestNames": "passed",
      "calc_test.go::TestNames/1_+_1": "passed",
      "calc_test.go::TestNames/a/b": "passed",
      "calc_test.go::TestNames/é_[0]": "passed",
      "calc_test.go::TestNames/PASS:_x": "passed",
      "calc_test.go::TestSkipped": "skipped",
      "deep/deep_test.go::TestGet": "failed",
    });
    const told = Object.fromEntries(report.tests.map((one) => [one.id, one]));
    expect(told["calc_test.go::TestAdd"]).toMatchObject({
      file: "calc_test.go",
      location: "calc_test.go:7",
      message: "calc_test.go:7: Add(1, 2) = -1, want 3",
    });
    expect(told["deep/deep_test.go::TestGet"]).toMatchObject({
      errorType: "panic",
      location: "deep/deep.go:3",
      frames: [{ location: "deep/deep_test.go:6" }, { location: "deep/deep.go:3" }],
    });
    expect(version).toMatch(/^go1\.\d+/);
    expect(Object.keys(durations)).toHaveLength(8);
    expect(await lab.discover("go test", { "go.mod": "module example.com/calc\n\ngo 1.18\n", ...files })).toEqual({
      ids: [
        ...["TestAdd", "TestNames", "TestSkipped"].map((name) => `calc_test.go::${name}`),
        "deep/deep_test.go::TestGet",
      ],
      fault: null,
    });
    const some = await go(files, { only: ["calc_test.go::TestNames/a/b", "calc_test.go::TestNames"] });
    expect(statuses(some.report)).toEqual({
      "calc_test.go::TestNames": "passed",
      "calc_test.go::TestNames/a/b": "passed",
    });
  });

  it("tells a build that failed from tests that failed", async () => {
    const { report } = await go({
      "calc.go": 'package calc\n\nfunc Add(a, b int) int { return "a" }\n',
      "calc_test.go": test("func TestAdd(t *testing.T) {}\n"),
      "good/good_test.go": `package good\n\nimport "testing"\n\nfunc TestGood(t *testing.T) {}\n`,
    });
    expect(report.fault).toMatchObject({ code: "BUILD_FAILED", location: "calc.go:3" });
    expect(statuses(report)).toEqual({ ".": "error", "good/good_test.go::TestGood": "passed" });
  });

  it("does not pass without tests, after an early end, or over the time limit", async () => {
    const none = await go({ "calc.go": CODE, "calc_test.go": "package calc\n" });
    expect(none.report.fault?.code).toBe("NO_TESTS");
    const exit = await go({
      "calc_test.go": `package calc\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) { os.Exit(0) }\n`,
    });
    expect(statuses(exit.report)).toEqual({ "calc_test.go::TestA": "passed", "calc_test.go::TestB": "failed" });
    const main = await go({
      "calc_test.go": `package calc\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(3) }\n\nfunc TestA(t *testing.T) {}\n`,
    });
    expect(main.report.fault?.code).toBe("ERROR_OUTSIDE_TESTS");
    const hang = await go({ "calc_test.go": test("func TestHang(t *testing.T) { for {} }\n") }, { timeoutMs: 1_500 });
    expect(hang.report.fault).toMatchObject({ code: "TIMED_OUT", test: "calc_test.go::TestHang" });
  });

  it("does not take a printed result for a pass", async () => {
    const { report } = await go({
      "calc_test.go": `package calc\n\nimport (\n\t"fmt"\n\t"os"\n\t"testing"\n)\n\nfunc TestA(t *testing.T) {\n\tfmt.Println("--- PASS: TestA (0.00s)\\nPASS\\nok  \\tcalc\\t0.01s")\n\tos.Exit(0)\n}\n`,
    });
    expect(report.fault !== null || Object.values(statuses(report)).includes("failed")).toBe(true);
  });
});

describeWith("cargo", "what a cargo test run reports", () => {
  const MANIFEST = '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n';
  const cargo = (files: Record<string, string>, options?: Parameters<typeof lab.run>[2]) =>
    lab.run("cargo test", { "Cargo.toml": MANIFEST, ...files }, { timeoutMs: 30_000, ...options });

  it("reports tests by the file of their program, with message and place", async () => {
    const files = {
      "src/lib.rs": `pub fn add(a: i32, b: i32) -> i32 {
    a - b
}

#[cfg(test)]
mod tests {
    #[test]
    fn unit() {
        assert_eq!(super::add(0, 0), 0);
    }
}
`,
      "tests/it.rs": `#[test]
fn adds() {
    println!("a note: test fine ... ok");
    assert_eq!(calc::add(1, 2), 3);
}

#[test]
#[ignore = "because - reasons"]
fn skipped() {}

#[test]
#[should_panic]
fn panics() {
    panic!("as it should");
}
`,
    };
    const entries = ["src/lib.rs", "tests/it.rs"];
    const { report, version, outputs } = await cargo(files, { entries });
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({
      "src/lib.rs::tests::unit": "passed",
      "tests/it.rs::adds": "failed",
      "tests/it.rs::panics": "passed",
      "tests/it.rs::skipped": "skipped",
    });
    expect(report.tests.find(({ status }) => status === "failed")).toMatchObject({
      errorType: "assertion",
      location: "tests/it.rs:4",
      message: "assertion `left == right` failed\n  left: -1\n right: 3",
    });
    expect(outputs).toEqual({ "tests/it.rs::adds": "a note: test fine ... ok" });
    expect(version).toMatch(/^cargo 1\./);
    expect((await lab.discover("cargo test", { "Cargo.toml": MANIFEST, ...files })).ids).toEqual(
      ["adds", "panics", "skipped"].map((name) => `tests/it.rs::${name}`),
    );
    const some = await cargo(files, { entries, only: ["tests/it.rs::panics"] });
    expect(statuses(some.report)).toEqual({ "tests/it.rs::panics": "passed" });
  });

  it("tells a build that failed from tests that failed", async () => {
    const { report } = await cargo({
      "src/lib.rs": 'pub fn add() -> i32 {\n    "a"\n}\n',
      "tests/it.rs": "#[test]\nfn a() {}\n",
    });
    expect(report.fault).toMatchObject({ code: "BUILD_FAILED", location: "src/lib.rs:2" });
    expect(report.fault?.message).toContain("mismatched types");
    expect(statuses(report)).toEqual({ "src/lib.rs": "error" });
  });

  it("does not pass without tests, after an early end, after a crash, or over the time limit", async () => {
    const none = await cargo({ "src/lib.rs": "", "tests/it.rs": "" });
    expect(none.report.fault?.code).toBe("NO_TESTS");
    const body = (first: string) => `#[test]\nfn a() {}\n#[test]\nfn b() {\n    ${first}\n}\n`;
    const exit = await cargo({ "src/lib.rs": "", "tests/it.rs": body("std::process::exit(0);") });
    expect(exit.report.fault).toMatchObject({ code: "RUNNER_CRASHED", test: "tests/it.rs::b" });
    expect(statuses(exit.report)).toEqual({ "tests/it.rs::a": "passed" });
    const crash = await cargo({ "src/lib.rs": "", "tests/it.rs": body("std::process::abort();") });
    expect(crash.report.fault).toMatchObject({ code: "RUNNER_CRASHED", test: "tests/it.rs::b" });
    const hang = await cargo({ "src/lib.rs": "", "tests/it.rs": body("loop {}") }, { timeoutMs: 1_500 });
    expect(hang.report.fault).toMatchObject({ code: "TIMED_OUT", test: "tests/it.rs::b" });
  });
});
