import { ARCHITECTURES, type Architecture, type ArgumentRule, BY_ARGUMENT, ERRNO, REFUSED } from "./policy.ts";

/** One instruction of classic BPF: `struct sock_filter` of the kernel's filter.h. */
type Instruction = { code: number; ifTrue?: number; ifFalse?: number; value: number };

const [LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_BITS, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
const ALLOW = 0x7fff_0000;
const FAIL_WITH = 0x0005_0000;
/** Where things lie in `struct seccomp_data`. Both architectures are little-endian: an argument's lower half comes first. */
const [CALL_AT, ARCHITECTURE_AT, ARGUMENTS_AT] = [0, 4, 16];
/** Numbers from here on are calls of x32, a second way to call x64 that no table here lists. */
const X32_BIT = 0x4000_0000;

export function isArchitecture(name: string): name is Architecture {
  return Object.hasOwn(ARCHITECTURES, name);
}

/** The policy as the bytes of a seccomp program, as `bwrap --seccomp` takes it. Calls it does not name are allowed. */
export function seccompFilter(architecture: Architecture): Buffer {
  const column = architecture === "x64" ? 0 : 1;
  const refused = REFUSED.flatMap(({ error, calls }) =>
    Object.values(calls).flatMap((numbers) => {
      const number = numbers[column];
      return typeof number === "number" ? guarded(JUMP_EQUAL, number, [fail(ERRNO[error])]) : [];
    }),
  );
  const byArgument = Object.values(BY_ARGUMENT).flatMap((rule) =>
    guarded(JUMP_EQUAL, rule.call[column] ?? 0, judgeArgument(rule)),
  );
  return assemble([
    { code: LOAD, value: ARCHITECTURE_AT },
    { code: JUMP_EQUAL, ifTrue: 1, value: ARCHITECTURES[architecture] },
    fail(ERRNO.ENOSYS),
    { code: LOAD, value: CALL_AT },
    ...guarded(JUMP_AT_LEAST, X32_BIT, [fail(ERRNO.ENOSYS)]),
    ...refused,
    ...byArgument,
    { code: RETURN, value: ALLOW },
  ]);
}

/** `block` where the comparison holds. */
function guarded(comparison: number, value: number, block: readonly Instruction[]): Instruction[] {
  return [{ code: comparison, ifFalse: block.length, value }, ...block];
}

/** Ends in either way. */
function judgeArgument({ argument, refuse, values, error }: ArgumentRule): Instruction[] {
  const compare = refuse === "any of" ? JUMP_BITS : JUMP_EQUAL;
  const found = refuse === "none of" ? { code: RETURN, value: ALLOW } : fail(ERRNO[error]);
  const missed = refuse === "none of" ? fail(ERRNO[error]) : { code: RETURN, value: ALLOW };
  const load = { code: LOAD, value: ARGUMENTS_AT + 8 * argument };
  return [load, ...values.flatMap((value) => guarded(compare, value, [found])), missed];
}

function fail(errno: number): Instruction {
  return { code: RETURN, value: FAIL_WITH + errno };
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, ifTrue = 0, ifFalse = 0, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
