import fc from "fast-check";
import { expect, it } from "vitest";
import { isArchitecture, seccompFilter } from "./filter.ts";
import { ARCHITECTURES, type Architecture, BY_ARGUMENT, ERRNO, REFUSED } from "./policy.ts";

const ALLOWED = 0x7fff_0000;
const names = Object.keys(ARCHITECTURES) as Architecture[];
const column = (architecture: Architecture) => (architecture === "x64" ? 0 : 1);

type Call = { number: number; arguments: bigint[]; architecture: number };

/** Runs a filter as the kernel does, and refuses what the kernel's own check of programs would refuse. */
function answerOf(program: Buffer, call: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.architecture, 4);
  for (const [index, value] of call.arguments.entries()) data.writeBigUInt64LE(value, 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; ; at += 1) {
    const [code, value] = [program.readUInt16LE(at * 8), program.readUInt32LE(at * 8 + 4)];
    const jump = (holds: boolean) => {
      at += program.readUInt8(at * 8 + (holds ? 2 : 3));
    };
    if (code === 0x06) return value;
    else if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x15) jump(accumulator === value);
    else if (code === 0x35) jump(accumulator >= value);
    else if (code === 0x45) jump((accumulator & value) !== 0);
    else throw new Error(`no instruction of ours: ${code}`);
  }
}

function expected(architecture: Architecture, { number, arguments: given }: Call): number {
  const refused = REFUSED.find(({ calls }) =>
    Object.values(calls).some((numbers) => numbers[column(architecture)] === number),
  );
  if (refused) return 0x0005_0000 + ERRNO[refused.error];
  const rule = Object.values(BY_ARGUMENT).find(({ call }) => call[column(architecture)] === number);
  if (!rule) return ALLOWED;
  const low = Number(given[rule.argument]! & 0xffff_ffffn);
  const refuses = {
    "any of": rule.values.some((bits) => (low & bits) !== 0),
    "one of": rule.values.includes(low),
    "none of": !rule.values.includes(low),
  }[rule.refuse];
  return refuses ? 0x0005_0000 + ERRNO[rule.error] : ALLOWED;
}

const numbers = fc.oneof(
  fc.nat(500),
  fc.constantFrom(
    ...[...REFUSED.flatMap(({ calls }) => Object.values(calls)), ...Object.values(BY_ARGUMENT).map(({ call }) => call)]
      .flat()
      .filter((number) => number !== null),
  ),
);
const values = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.nat(64).map(BigInt),
  fc.constantFrom(
    ...Object.values(BY_ARGUMENT).flatMap((rule) => rule.values.map(BigInt)),
    0x5412n + 2n ** 32n,
    0x1000_0000n,
  ),
);

it.each(names)("answers each call on %s as the policy says", (architecture) => {
  const program = seccompFilter(architecture);
  const calls = fc.record({
    number: numbers,
    arguments: fc.array(values, { minLength: 6, maxLength: 6 }),
    architecture: fc.constant(ARCHITECTURES[architecture]),
  });
  fc.assert(
    fc.property(calls, (call) => {
      expect(answerOf(program, call)).toBe(expected(architecture, call));
    }),
    { numRuns: 2_000 },
  );
});

it.each(names)("has no call at all for another architecture's programs on %s", (architecture) => {
  const program = seccompFilter(architecture);
  const none = 0x0005_0000 + ERRNO.ENOSYS;
  const foreign = { arguments: [0n, 0n, 0n], architecture: 0x4000_0003 };
  for (let number = 0; number < 500; number += 1) expect(answerOf(program, { number, ...foreign })).toBe(none);
  const x32 = { ...foreign, architecture: ARCHITECTURES[architecture], number: 0x4000_0000 + 101 };
  expect(answerOf(program, x32)).toBe(none);
});

it("is one that a kernel takes: of whole instructions, not too many, the last of which ends it", () => {
  for (const architecture of names) {
    const program = seccompFilter(architecture);
    expect(program.length % 8).toBe(0);
    expect(program.length / 8).toBeLessThan(4096);
    expect(program.readUInt16LE(program.length - 8)).toBe(0x06);
  }
});

it("names each call once", () => {
  for (const architecture of names) {
    const all = [
      ...REFUSED.flatMap(({ calls }) => Object.values(calls).map((call) => call[column(architecture)])),
      ...Object.values(BY_ARGUMENT).map(({ call }) => call[column(architecture)]),
    ].filter((number) => number !== null);
    expect(new Set(all).size).toBe(all.length);
  }
});

it("is made for two architectures", () => {
  expect(["x64", "arm64", "riscv64", "toString"].map(isArchitecture)).toEqual([true, true, false, false]);
});
