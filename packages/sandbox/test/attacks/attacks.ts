import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PathError, type Workspace } from "@swarm/core";
import { BY_ARGUMENT, REFUSED } from "../../src/isolation/seccomp/policy.ts";
import { type Attack, ESCAPED, python, type Seen, sh } from "./attack.ts";

/** The number of a system call on this machine. */
function number(name: string): number {
  const all = Object.assign({}, ...REFUSED.map(({ calls }) => calls));
  const numbers = all[name] ?? BY_ARGUMENT[name]?.call;
  return numbers[process.arch === "x64" ? 0 : 1];
}

/** Prints the key of the process with the id in a Python expression, from where the kernel put its environment. */
const readStackOf = (pid: string) =>
  python(`
for line in open(f"/proc/{${pid}}/maps"):
    if "[stack]" in line:
        start, end = (int(part, 16) for part in line.split()[0].split("-"))
        memory = open(f"/proc/{${pid}}/mem", "rb")
        memory.seek(start)
        for found in memory.read(end - start).split(b"HOST_KEY=")[1:]: print(found[:60])`);

const reading: Attack[] = [
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
    argv: python(`call(${number("syslog")}, 10, 0, 0); escaped()`),
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
call(${number("open_by_handle_at")}, os.open(".", os.O_RDONLY), handle, os.O_RDONLY); escaped()`),
    plain: "gets through",
    needsRoot: true,
  },
];

const reaching: Attack[] = [
  {
    name: "connect to the host's localhost",
    argv: python('print(socket.create_connection(("127.0.0.1", int(env["PORT"])), 2).recv(99))'),
    plain: "gets through",
  },
  {
    name: "connect to the machine's address in the network",
    argv: python('print(socket.create_connection((env["ADDRESS"], int(env["PORT"])), 2).recv(99))'),
    plain: "gets through",
    lacking: [/Name or service not known|Errno 111/, "an address in a network"],
  },
  {
    name: "send a datagram",
    argv: python(`
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.settimeout(5)
udp.connect(("127.0.0.1", int(env["UDP_PORT"])))
udp.send(b"?")
print(udp.recv(99))`),
    plain: "gets through",
  },
  {
    name: "connect to an abstract socket",
    argv: python('s = socket.socket(socket.AF_UNIX); s.connect("\\0" + env["ABSTRACT"]); print(s.recv(99))'),
    plain: "gets through",
  },
  {
    name: "connect to a socket in a folder, as Docker's is",
    argv: python('s = socket.socket(socket.AF_UNIX); s.connect(env["SOCKET"]); print(s.recv(99))'),
    plain: "gets through",
  },
  {
    name: "open a socket to the hypervisor",
    argv: python("socket.socket(40, socket.SOCK_STREAM); escaped()"),
    plain: "gets through",
    lacking: [/Address family not supported/, "AF_VSOCK"],
  },
  {
    name: "listen to all packets",
    argv: python("socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 768); escaped()"),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "read shared memory of the host",
    argv: python(`
libc.shmat.restype = ctypes.c_void_p
print(ctypes.string_at(libc.shmat(checked(libc.shmget(int(env["SHARED_KEY"]), 0, 0)), None, 0), 64))`),
    plain: "gets through",
  },
];

const writing: Attack[] = [
  { name: "write a file outside", argv: sh('echo x > "$OUTSIDE/written" && echo ESCAPED'), plain: "gets through" },
  {
    name: "write beside the workspace",
    argv: sh("echo x > ../beside && rm ../beside && echo ESCAPED"),
    plain: "gets through",
  },
  {
    name: "write through a link",
    argv: sh('ln -s "$OUTSIDE" out && echo x > out/written && echo ESCAPED'),
    plain: "gets through",
  },
  {
    name: "write through a hard link",
    argv: sh('ln "$OUTSIDE/linked" own && echo x >> own && echo ESCAPED'),
    plain: "gets through",
  },
  {
    name: "change the programs that it is run with",
    argv: sh('[ -w "$(readlink -f "$(command -v node)")" ] && echo ESCAPED'),
    plain: "gets through",
    lacking: [/^$/, "a Node that belongs to the user"],
  },
  {
    name: "mount something",
    argv: python(`
os.mkdir("m"); checked(libc.mount(b"none", b"m", b"tmpfs", 0, None)); checked(libc.umount2(b"m", 0)); escaped()`),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "make a user namespace, with rights of its own",
    argv: sh("unshare -U true && echo ESCAPED"),
    plain: "gets through",
  },
  {
    name: "make one by another system call",
    argv: python(`
if call(${number("clone")}, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0) == 0: os._exit(0)
escaped()`),
    plain: "gets through",
  },
  {
    name: "enter a namespace",
    argv: python('checked(libc.setns(os.open("/proc/self/ns/uts", os.O_RDONLY), 0)); escaped()'),
    plain: "gets through",
    needsRoot: true,
  },
  { name: "change its root", argv: python('os.chroot("."); escaped()'), plain: "gets through", needsRoot: true },
  {
    name: "change a setting of the kernel",
    argv: sh("v=$(cat /proc/sys/kernel/core_uses_pid) && echo $v > /proc/sys/kernel/core_uses_pid && echo ESCAPED"),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "change the machine's name",
    argv: python("socket.sethostname(socket.gethostname()); escaped()"),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "make a control group",
    argv: sh('mkdir "$CGROUP/attack-$SLEEP" && rmdir "$CGROUP/attack-$SLEEP" && echo ESCAPED'),
    plain: "gets through",
    lacking: [/mkdir/, "control groups that may be changed"],
  },
  {
    name: "write to the kernel's log",
    argv: sh(": > /dev/kmsg && echo ESCAPED"),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "type into a terminal",
    argv: python(`
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSTI, b"x")
    os._exit(0)
if os.waitpid(child, 0)[1] == 0: escaped()`),
    plain: "gets through",
    lacking: [/^$/, "a kernel that lets programs type (dev.tty.legacy_tiocsti)"],
  },
  {
    name: "keep a key in the kernel",
    argv: python(`call(${number("add_key")}, b"user", b"swarm", b"x", 1, -2); escaped()`),
    plain: "gets through",
  },
  {
    name: "set up an io_uring",
    argv: python(`call(${number("io_uring_setup")}, 1, ctypes.create_string_buffer(120)); escaped()`),
    plain: "gets through",
    lacking: [/Operation not permitted|Function not implemented/, "io_uring"],
  },
  {
    name: "load a BPF map into the kernel",
    argv: python(`
call(${number("bpf")}, 0, ctypes.create_string_buffer(struct.pack("IIII", 2, 4, 4, 1) + bytes(56)), 72); escaped()`),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "count events of the processor",
    argv: python(`
call(${number("perf_event_open")}, ctypes.create_string_buffer(struct.pack("II", 1, 128) + bytes(120)), 0, -1, -1, 0); escaped()`),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "handle page faults",
    argv: python(`call(${number("userfaultfd")}, 1); escaped()`),
    plain: "gets through",
    lacking: [/Function not implemented/, "userfaultfd"],
  },
  {
    name: "take real-time priority",
    argv: python("os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)); escaped()"),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "end a process of the host",
    argv: sh("kill -9 $VICTIM; sleep 0.1"),
    plain: "gets through",
    gotThrough: ({ world }) => !world.victim.alive(),
  },
];

const livesOn = ({ sleepers }: Seen) => sleepers.length > 0;
const outliving: Attack[] = [
  { name: "leave a child behind", argv: sh("sleep $SLEEP &"), timeoutMs: 1_000, plain: "blocked", gotThrough: livesOn },
  {
    name: "leave one in a session of its own",
    argv: sh("setsid sleep $SLEEP & sleep 0.1"),
    timeoutMs: 1_000,
    plain: "blocked",
    gotThrough: livesOn,
  },
  {
    name: "leave a daemon, by forking twice",
    argv: python(`
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execvp("sleep", ["sleep", env["SLEEP"]])
    os._exit(0)
os.wait(); time.sleep(0.1)`),
    timeoutMs: 1_000,
    plain: "blocked",
    gotThrough: livesOn,
  },
  {
    name: "leave one with nothing by which to find it",
    argv: sh("cd / && env -i setsid sleep $SLEEP > /dev/null 2>&1 & sleep 0.2"),
    timeoutMs: 1_000,
    plain: "gets through",
    gotThrough: livesOn,
  },
  {
    name: "ignore every signal when its time is over",
    argv: sh("trap '' TERM INT HUP; sleep $SLEEP"),
    timeoutMs: 300,
    plain: "blocked",
    gotThrough: livesOn,
  },
  {
    name: "stop itself, deaf to being asked",
    argv: sh("sleep $SLEEP & kill -STOP $$"),
    timeoutMs: 300,
    plain: "blocked",
    gotThrough: livesOn,
  },
  {
    name: "keep its caller waiting by holding the output",
    argv: sh("sleep $SLEEP & echo done"),
    timeoutMs: 2_000,
    plain: "blocked",
    gotThrough: ({ result }) => result.timedOut,
  },
];

const inSteps = (count: number, step: string) => `
for n in range(${count}):
    ${step}
    time.sleep(0.05)
escaped()`;
const exhausting: Attack[] = [
  {
    name: "use much memory in one process",
    argv: python("kept = [bytearray(b'x') * (16 << 20) for n in range(12)]; escaped()"),
    plain: "gets through",
  },
  {
    name: "use much memory in many processes",
    argv: python(`
done, told = os.pipe()
for n in range(8):
    if os.fork() == 0:
        kept = bytearray(b"x") * (30 << 20)
        os.write(told, b"1")
        time.sleep(3)
        os._exit(0)
os.close(told)
count = 0
while count < 8 and os.read(done, 1): count += 1
if count == 8: escaped()
os.killpg(0, signal.SIGKILL)`),
    plain: "gets through",
  },
  {
    name: "use much memory in files without a name",
    argv: python(`
file = os.memfd_create("m")
for n in range(12): os.write(file, bytes(16 << 20))
escaped()`),
    plain: "gets through",
  },
  {
    name: "fill /dev/shm",
    argv: sh(`
trap 'rm /dev/shm/$SLEEP.*' EXIT
for n in a b c d; do head -c 20M /dev/zero > /dev/shm/$SLEEP.$n || exit; done
echo ESCAPED`),
    plain: "gets through",
    lacking: [/No space left/, "more than 64 MB in /dev/shm"],
  },
  {
    name: "fill /tmp",
    argv: sh('head -c 20M /dev/zero > "$TMPDIR/a" && cp "$TMPDIR/a" "$TMPDIR/b" && echo ESCAPED'),
    plain: "gets through",
  },
  {
    name: "start processes without end",
    argv: python(`
try:
    for n in range(150):
        if os.fork() == 0: time.sleep(3); os._exit(0)
    escaped()
finally:
    os.killpg(0, signal.SIGKILL)`),
    plain: "gets through",
  },
  {
    name: "start threads without end",
    argv: python(`
try:
    for n in range(150): threading.Thread(target=time.sleep, args=(3,)).start()
    escaped()
finally:
    os.kill(os.getpid(), signal.SIGKILL)`),
    plain: "gets through",
  },
  {
    name: "fill the disk with many files",
    argv: python(inSteps(30, 'open(f"f{n}", "wb").write(bytes(4 << 20))')),
    plain: "gets through",
  },
  {
    name: "fill the disk with a file that it has removed",
    argv: python(
      `kept = []${inSteps(30, 'f = open("f", "wb"); os.unlink("f"); f.write(bytes(4 << 20)); f.flush(); kept.append(f)')}`,
    ),
    plain: "gets through",
  },
  {
    name: "fill the disk with one file",
    argv: sh("head -c 40M /dev/zero > big && echo ESCAPED"),
    plain: "gets through",
  },
  { name: "make a file of a huge size", argv: sh("truncate -s 1G huge && echo ESCAPED"), plain: "gets through" },
  {
    name: "use up the disk's places for files",
    argv: python(inSteps(30, 'for m in range(40): open(f"f{n}-{m}", "w").close()')),
    plain: "gets through",
  },
  {
    name: "use up descriptors",
    argv: python('kept = [os.open("/dev/null", os.O_RDONLY) for n in range(300)]; escaped()'),
    plain: "gets through",
    lacking: [/Too many open files/, "a limit of descriptors above 300"],
  },
  {
    name: "flood its caller with output",
    argv: sh("yes | head -c 20M"),
    plain: "blocked",
    gotThrough: ({ result }) => result.output.length > 1_000_000,
  },
];

const readReport = async (workspace: Workspace) => Buffer.from(await workspace.read("report.txt")).toString();
const wrote = ({ world }: Seen) => lstatSync(join(world.outside, "written"), { throwIfNoEntry: false }) !== undefined;
const trapping: Attack[] = [
  {
    name: "plant a link for the host to read",
    argv: sh('ln -s "$SECRET_FILE" report.txt'),
    plain: "blocked",
    host: { careful: readReport, careless: ({ folder }) => readFileSync(join(folder, "report.txt"), "utf8") },
  },
  {
    name: "plant a link for the host to write through",
    argv: sh('ln -s "$OUTSIDE/written" report.txt'),
    plain: "blocked",
    host: {
      careful: async (workspace) => String(await workspace.write("report.txt", "x")),
      careless: ({ folder }) => String(writeFileSync(join(folder, "report.txt"), "x")),
    },
    gotThrough: wrote,
  },
  {
    name: "plant a link to a folder for the host to write into",
    argv: sh('ln -s "$OUTSIDE" out'),
    plain: "blocked",
    host: {
      careful: async (workspace) => String(await workspace.write("out/written", "x")),
      careless: ({ folder }) => String(writeFileSync(join(folder, "out/written"), "x")),
    },
    gotThrough: wrote,
  },
  {
    name: "plant a link for the host to remove through",
    argv: sh('ln -s "$OUTSIDE" out'),
    plain: "blocked",
    host: {
      careful: async (workspace) => String(await workspace.remove("out/victim")),
      careless: ({ folder }) => String(rmSync(join(folder, "out/victim"))),
    },
    gotThrough: ({ world }) => lstatSync(join(world.outside, "victim"), { throwIfNoEntry: false }) === undefined,
  },
  {
    name: "put a link in the place of the workspace",
    argv: sh('here=$(pwd -P); cd /; rm -r "$here"; ln -s "$OUTSIDE" "$here"'),
    plain: "blocked",
    host: {
      careful: async (workspace) => String(await workspace.write("written", "x")),
      careless: ({ folder }) => String(writeFileSync(join(folder, "written"), "x")),
    },
    gotThrough: wrote,
  },
  {
    name: "swap a folder and a link while the host writes",
    argv: [
      ...python(`
os.mkdir("a"); os.symlink(env["OUTSIDE"], "b"); os.rename("a", "d")
if os.fork() == 0:
    os.setsid()
    end = time.time() + 3
    while time.time() < end:
        os.rename("d", "a"); os.rename("b", "d"); os.rename("d", "b"); os.rename("a", "d")
time.sleep(0.1)`),
    ],
    plain: "blocked",
    host: { careful: whileSwapped, careless: ({ folder, world }) => carelesslyWhileSwapped(folder, world.outside) },
    gotThrough: wrote,
  },
  {
    name: "plant a pipe that lets the host wait for ever",
    argv: sh("mkfifo report.txt"),
    plain: "blocked",
    host: {
      careful: readReport,
      careless: ({ folder }) =>
        spawnSync("cat", [join(folder, "report.txt")], { timeout: 300 }).signal === null ? "" : ESCAPED,
    },
  },
  {
    name: "nest folders too deep for the host to list or remove",
    argv: python(`
for n in range(60): os.mkdir("d" * 200); os.chdir("d" * 200)
open("f", "w").close()`),
    plain: "blocked",
    host: {
      async careful(workspace) {
        const refusal = await workspace.snapshot().catch((error: Error) => error);
        return refusal instanceof PathError ? "" : ESCAPED;
      },
      careless: ({ folder }) => {
        try {
          for (let at = folder; lstatSync(at).isDirectory(); ) at = join(at, readdirSync(at)[0] ?? "");
          return "";
        } catch {
          return ESCAPED;
        }
      },
    },
  },
  {
    name: "plant bytecode that is run in place of the source",
    files: { "solution.py": "print('honest')\n", "evil.py": `print("${ESCAPED}")\n` },
    argv: python(`
import importlib.util, py_compile
py_compile.compile("evil.py", importlib.util.cache_from_source("solution.py"),
    invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)`),
    plain: "blocked",
    host: { careful: importFromSnapshot, careless: ({ folder }) => importSolution(folder) },
  },
];

async function whileSwapped(workspace: Workspace): Promise<string> {
  for (let round = 0; round < 50; round += 1) await workspace.write("d/written", "x").catch(() => {});
  return "";
}

function carelesslyWhileSwapped(folder: string, outside: string): string {
  for (const end = Date.now() + 2_000; Date.now() < end && !existsSync(join(outside, "written")); ) {
    try {
      writeFileSync(join(folder, "d/written"), "x");
    } catch {
      // Between two names there is none.
    }
  }
  return "";
}

const IMPORT = ["python3", "-c", "import solution"] as const;

async function importFromSnapshot(workspace: Workspace): Promise<string> {
  const { signal } = new AbortController();
  await workspace.restore(await workspace.snapshot());
  return (await workspace.exec(IMPORT, { signal, timeoutMs: 10_000 })).output;
}

function importSolution(folder: string): string {
  return spawnSync(IMPORT[0], IMPORT.slice(1), { cwd: folder, encoding: "utf8" }).stdout;
}

/** All attacks that are a command in a workspace, by what they are after. */
export const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  "Read what is not its own": reading,
  "Reach others": reaching,
  "Change what is not its own": writing,
  "Live on": outliving,
  "Use up the machine": exhausting,
  "Trap the host": trapping,
};
