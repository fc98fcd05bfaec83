// The thread that looks at what commands use, however busy the program is that runs them.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { killIfThere } from "../exec/kill-if-there.ts";
import { descendantsOf, lookAt } from "./use.ts";
import type { Found, Order } from "./watch-use.ts";

const EVERY_MS = 50;

const found: MessagePort = workerData;
const looks = new Map<number, { look(): string | null; root: number }>();
let timer: NodeJS.Timeout | undefined;

parentPort?.on("message", ({ id, watched }: Order) => {
  if (watched) looks.set(id, { look: lookAt(watched), root: watched.root });
  else looks.delete(id);
  if (looks.size > 0) timer ??= setInterval(lookAtAll, EVERY_MS);
  else timer = void clearInterval(timer);
});

function lookAtAll(): void {
  for (const [id, { look, root }] of looks) {
    const excess = look();
    if (excess === null) continue;
    looks.delete(id);
    found.postMessage({ id, excess } satisfies Found); // before the end, so that who sees the end finds out why
    const [first] = descendantsOf(root); // takes all others with it
    if (first !== undefined) killIfThere(first, "SIGKILL");
  }
}
