import { type Attack, python, type Seen, sh } from "./attack.ts";

const livesOn = ({ sleepers }: Seen) => sleepers.length > 0;
/** Of what has done its deed by then, also on a machine that is busy, and would go on. */
const LONG_ENOUGH_MS = 4_000;
export const outliving: readonly Attack[] = [
  {
    name: "leave a child behind",
    argv: sh("sleep $SLEEP &"),
    timeoutMs: LONG_ENOUGH_MS,
    plain: "blocked",
    gotThrough: livesOn,
  },
  {
    name: "leave one in a session of its own",
    argv: sh("setsid sleep $SLEEP & sleep 0.1"),
    timeoutMs: LONG_ENOUGH_MS,
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
    timeoutMs: LONG_ENOUGH_MS,
    plain: "blocked",
    gotThrough: livesOn,
  },
  {
    name: "leave one with nothing by which to find it",
    argv: sh(`
(cd / && exec env -i setsid sleep $SLEEP > /dev/null 2>&1) &
until tr '\\0' ' ' < /proc/$!/cmdline | grep -q '^sleep '; do sleep 0.02; done`),
    timeoutMs: LONG_ENOUGH_MS,
    plain: "gets through",
    gotThrough: livesOn,
  },
  {
    name: "ignore every signal when its time is over",
    argv: sh("trap '' TERM INT HUP; sleep $SLEEP"),
    timeoutMs: LONG_ENOUGH_MS,
    plain: "blocked",
    gotThrough: livesOn,
  },
  {
    name: "stop itself, deaf to being asked",
    argv: sh("sleep $SLEEP & kill -STOP $$"),
    timeoutMs: LONG_ENOUGH_MS,
    plain: "blocked",
    gotThrough: livesOn,
  },
  {
    name: "keep its caller waiting by holding the output",
    argv: sh("sleep $SLEEP & echo done"),
    timeoutMs: 8_000,
    plain: "blocked",
    gotThrough: ({ result }) => result.timedOut,
  },
];
