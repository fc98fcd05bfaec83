import { type Attack, python, sh } from "./attack.ts";
import { systemCall } from "./system-call.ts";

export const changing: readonly Attack[] = [
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
if call(${systemCall("clone")}, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0) == 0: os._exit(0)
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
    argv: python(`call(${systemCall("add_key")}, b"user", b"swarm", b"x", 1, -2); escaped()`),
    plain: "gets through",
  },
  {
    name: "set up an io_uring",
    argv: python(`call(${systemCall("io_uring_setup")}, 1, ctypes.create_string_buffer(120)); escaped()`),
    plain: "gets through",
    lacking: [/Operation not permitted|Function not implemented/, "io_uring"],
  },
  {
    name: "load a BPF map into the kernel",
    argv: python(`
call(${systemCall("bpf")}, 0, ctypes.create_string_buffer(struct.pack("IIII", 2, 4, 4, 1) + bytes(56)), 72); escaped()`),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "count events of the processor",
    argv: python(`
call(${systemCall("perf_event_open")}, ctypes.create_string_buffer(struct.pack("II", 1, 128) + bytes(120)), 0, -1, -1, 0); escaped()`),
    plain: "gets through",
    needsRoot: true,
  },
  {
    name: "handle page faults",
    argv: python(`call(${systemCall("userfaultfd")}, 1); escaped()`),
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
