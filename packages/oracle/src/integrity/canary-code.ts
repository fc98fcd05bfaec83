/** The two tests that are put into a test file: `holds` has to pass, `breaks` has to fail and say the word. */
export type Canary = { entry: string; holds: string; breaks: string; word: string };

/** Code to put at the end of a test file. */
export type CanaryCode = (canary: Canary) => string;

/** How a runner's test files say a canary; null for a runner whose files cannot be added to. */
export function canaryCode(runner: string): CanaryCode | null {
  return CODE[runner] ?? null;
}

/**
 * A test that must fail does so by its own hand, and only after everything that a test relies on said no to what is wrong: so
 * a comparison, an assertion or a builtin that was replaced by one that agrees turns the canary's colour as well. A name of a
 * builtin can honestly be the work's own, where a test imports `*`: it may say no in whatever way, also by an error.
 */
const python: CanaryCode = ({ holds, breaks, word }) => `
def ${holds}():
    assert "${word}" == "".join(["${word}"])


def ${breaks}():
    import builtins
    import unittest
    import pytest

    case = unittest.TestCase()

    def bare():
        assert "${word}" == "another"

    def raises():
        with pytest.raises(builtins.ValueError):
            pass

    wrong = [
        bare,
        raises,
        lambda: case.assertEqual("${word}", "another"),
        lambda: case.assertTrue(0 == 1),
        lambda: case.assertIn("${word}", []),
        lambda: case.assertRaises(builtins.ValueError, builtins.int, "1"),
        lambda: case.assertAlmostEqual(1.0, 2.0),
        lambda: pytest.fail("${word}"),
    ]
    lies = [
        lambda: all([False]), lambda: any([]), lambda: isinstance("${word}", int), lambda: issubclass(int, str),
        lambda: bool(0), lambda: callable(1), lambda: hasattr(1, "${word}"), lambda: len([1]) == 2, lambda: sum([1, 1]) == 3,
        lambda: max(1, 2) == 1, lambda: min(1, 2) == 2, lambda: abs(-1) == 2, lambda: round(1.4) == 2, lambda: str(1) == "2",
        lambda: int("1") == 2, lambda: repr("a") == "a", lambda: type(1) is str, lambda: sorted([2, 1]) == [2, 1],
        lambda: list((1, 2)) == [1], lambda: set([1]) == {2}, lambda: dict(a=1) == {}, lambda: tuple([1]) == (2,),
        lambda: 1.0 == pytest.approx(2.0), lambda: "a" in ["b"], lambda: 2 < 1,
    ]
    agreed = 0
    for check in wrong:
        try:
            check()
        except builtins.BaseException:
            continue
        agreed += 1
    for lie in lies:
        try:
            if lie():
                agreed += 1
        except builtins.BaseException:
            pass
    if not agreed:
        raise builtins.AssertionError("${word}")
`;

/** Throws the word unless something agreed to what is wrong. What it uses was taken before code under test could replace it. */
const BREAKS = `
  const breaks = (word, wrong) => {
    let agreed = 0;
    for (const check of wrong) {
      try {
        check();
        agreed += 1;
      } catch {}
    }
    const lies = [
      () => Object.is(1, 2), () => Array.isArray({}), () => Number.isNaN(1), () => Number.isInteger(0.5),
      () => [1].includes(2), () => [0].every(Boolean), () => [0].some(Boolean), () => "a".includes("b"),
      () => "a".startsWith("b"), () => /b/.test("a"), () => String(1) === "2", () => Number("1") === 2,
      () => JSON.stringify({ a: 1 }) === JSON.stringify({ a: 2 }), () => [2, 1].sort()[0] === 2, () => [1].length === 2,
      () => Math.max(1, 2) === 1, () => Math.abs(-1) === 2, () => Math.round(1.4) === 2, () => new Set([1]).has(2),
      () => new Map().has(1), () => Object.keys({ a: 1 }).length === 2,
    ];
    for (const lie of lies) {
      try {
        if (lie()) agreed += 1;
      } catch {}
    }
    if (agreed === 0) throw new globalThis.Error(word);
  };
`;

const WRONG_BY_ASSERT = `["node:assert", "node:assert/strict"].map(globalThis.process.getBuiltinModule).flatMap((assert) => [
    () => assert(word === "another"),
    () => assert.ok(word === "another"),
    () => assert.equal(word, "another"),
    () => assert.strictEqual(word, "another"),
    () => assert.deepEqual({ a: [word] }, { a: ["another"] }),
    () => assert.deepStrictEqual({ a: [word] }, { a: ["another"] }),
    () => assert.notEqual(word, word),
    () => assert.notStrictEqual(word, word),
    () => assert.match(word, /another/),
    () => assert.throws(() => {}),
    () => assert.fail(word),
  ])`;

const WRONG_BY_EXPECT = `[
    () => expect(word).toBe("another"),
    () => expect({ a: [word] }).toEqual({ a: ["another"] }),
    () => expect({ a: [word] }).toStrictEqual({ a: ["another"] }),
    () => expect([word]).toContain("another"),
    () => expect(word).toMatch(/another/),
    () => expect(1).toBeGreaterThan(2),
    () => expect(1).toBeCloseTo(2),
    () => expect(true).toBeFalsy(),
    () => expect(word).not.toBe(word),
    () => expect(() => {}).toThrow(),
  ]`;

/** A script by itself, so that it is good in a module and in CommonJS. */
function script({ holds, breaks, word }: Canary, names: string, wrong: string): string {
  return `
;(() => {
  const word = "${word}";
  ${names}${BREAKS}
  const wrong = ${wrong};
  define("${holds}", () => {
    if (word !== ["${word}"].join("")) throw new globalThis.Error("a word is not itself");
  });
  define("${breaks}", () => breaks(word, wrong));
})();
`;
}

const CODE: Readonly<Record<string, CanaryCode>> = {
  pytest: python,
  "node:test": (canary) =>
    script(canary, 'const define = globalThis.process.getBuiltinModule("node:test").test;', WRONG_BY_ASSERT),
  mocha: (canary) => script(canary, "const define = it;", WRONG_BY_ASSERT),
  jest: (canary) => script(canary, "const define = test;", WRONG_BY_EXPECT),
  vitest: (canary) => `
import { expect as expect_${canary.word}, test as define_${canary.word} } from "vitest";
${script(canary, `const [define, expect] = [define_${canary.word}, expect_${canary.word}];`, WRONG_BY_EXPECT)}`,
};
