import { type Attack, python, sh } from "./attack.ts";

/** What is only watched may be too much for a moment: such an attack gets through when it keeps what it took. */
const KEPT = "time.sleep(2); escaped()";
const inSteps = (count: number, step: string) => `
for n in range(${count}):
    ${step}
    time.sleep(0.05)
${KEPT}`;
export const exhausting: readonly Attack[] = [
  {
    name: "use much memory in one process",
    argv: python(`kept = [bytearray(b'x') * (16 << 20) for n in range(12)]; ${KEPT}`),
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
        time.sleep(6)
        os._exit(0)
os.close(told)
count = 0
while count < 8 and os.read(done, 1): count += 1
if count == 8: ${KEPT}
os.killpg(0, signal.SIGKILL)`),
    plain: "gets through",
  },
  {
    name: "use much memory in files without a name",
    argv: python(`
file = os.memfd_create("m")
for n in range(12): os.write(file, bytes(16 << 20))
${KEPT}`),
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
        if os.fork() == 0: time.sleep(6); os._exit(0)
    ${KEPT}
finally:
    os.killpg(0, signal.SIGKILL)`),
    plain: "gets through",
  },
  {
    name: "start threads without end",
    argv: python(`
try:
    for n in range(150): threading.Thread(target=time.sleep, args=(6,)).start()
    ${KEPT}
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
