import { type Attack, python, sh } from "./attack.ts";
import { systemCall } from "./system-call.ts";

/** Prints the key of the process with the id in a Python expression, from where the kernel put its environment. */
const readStackOf = (pid: string) =>
  python(`
for line in open(f"/proc/{${pid}}/maps"):
    if "[stack]" in line:
        start, end = (int(part, 16) for part in line.split()[0].split("-"))
        memory = open(f"/proc/{${pid}}/mem", "rb")
        memory.seek(start)
        for found in memory.read(end - start).split(b"HOST_KEY=")[1:]: print(found[:60])`);

export const reading: readonly Attack[] = [
  { name: "read a file of the user", argv: sh('cat "$SECRET_FILE"'), plain: "gets through" },
  { name: "list the machine's users", argv: sh("grep ^root: /etc/passwd && echo ESCAPED"), plain: "gets through" },
  { name: "read a key from its environment", argv: sh("env | grep ^HOST_KEY"), plain: "blocked" },
  {
    name: "read a key from any process's environment",
    argv: sh("cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep ^HOST_KEY"),
    plain: "gets through",
  },
  {
    name: "read a key from another process's memory",
    argv: readStackOf("env['VICTIM']"),
    plain: "gets through",
    lacking: [/Permission denied/, "the right to look into another process (kernel.yama.ptrace_scope)"],
  },
  {
    name: "read a key from its parent's environment",
    argv: sh("tr '\\0' '\\n' < /proc/$PPID/environ | grep ^HOST_KEY"),
    fromProgram: true,
    plain: "gets through",
  },
  {
    name: "read a key from its parent's memory",
    argv: readStackOf("os.getppid()"),
    fromProgram: true,
    plain: "gets through",
    lacking: [/Permission denied/, "the right to look into another process (kernel.yama.ptrace_scope)"],
  },
  {
    name: "read a file that its parent was started with open",
    argv: sh("cat /proc/self/fd/40"),
    fromProgram: true,
    plain: "blocked",
  },
  {
    name: "trace a process",
    argv: python(`
child = os.fork()
if child == 0: time.sleep(5); os._exit(0)
try:
    checked(libc.ptrace(16, child, 0, 0))
    escaped()
finally:
    os.kill(child, signal.SIGKILL)`),
    plain: "gets through",
    lacking: [/Operation not permitted/, "the right to trace a process (kernel.yama.ptrace_scope)"],
  },
  { name: "read another run's workspace", argv: sh('cat "$OTHER/secret"'), plain: "gets through" },
  {
    name: "find the workspaces of other runs",
    argv: sh('ls -d "$HOST_TMP"/swarm-*/work* | grep work && echo ESCAPED'),
    plain: "gets through",
  },
  {
    name: "see processes of the host",
    argv: sh("tr '\\0' ' ' < /proc/$VICTIM/cmdline | grep ^sleep && echo ESCAPED"),
    plain: "gets through",
  },
  {
    name: "read a file through another process's root",
    argv: sh('cat /proc/[0-9]*/root/"$SECRET_FILE"'),
    plain: "gets through",
  },
  {
    name: "read the kernel's log",
    argv: python(`call(${systemCall("syslog")}, 10, 0, 0); escaped()`),
    plain: "gets through",
    lacking: [/Operation not permitted/, "the right to read it (kernel.dmesg_restrict)"],
  },
  {
    name: "make a device and read it",
    argv: python(`
os.mknod("zero", 0o600 | stat.S_IFCHR, os.makedev(1, 5))
open("zero", "rb").read(1); escaped()`),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "open a file of the host by its number",
    argv: python(`
handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
mount = ctypes.c_int()
checked(libc.name_to_handle_at(-100, b".", handle, ctypes.byref(mount), 0))
call(${systemCall("open_by_handle_at")}, os.open(".", os.O_RDONLY), handle, os.O_RDONLY); escaped()`),
    plain: "gets through",
    needsRoot: true,
  },
];
