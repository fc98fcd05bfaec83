// Imports the module named by the first argument and prints, as a JSON list, what its import did besides: a module should
// only define things. Run as `node --conditions=@swarm/source import-probe.mjs <specifier or URL>`.
import { createHook } from "node:async_hooks";

/** What importing any module at all does: it reads files and keeps promises. */
const OF_THE_LOADER = /^(PROMISE|TickObject|Microtask|FSREQ\w+|FILEHANDLE\w*)$/;
/** Globals that dependencies define in the same way for everyone who imports them. */
const OF_DEPENDENCIES = /^(__zod_|Symbol\((undici|openai)\.)/;

const found = new Set();
const globals = new Set(Reflect.ownKeys(globalThis));
const listeners = () => process.eventNames().map((event) => `${String(event)} (${process.listenerCount(event)})`);
const listenersBefore = new Set(listeners());

const hook = createHook({
  init(_id, type) {
    if (!OF_THE_LOADER.test(type)) found.add(`opens ${type}`);
  },
});
const environment = process.env;
const read = (key) => {
  const reader = new Error().stack.split("\n")[3]; // after the message, this function and the trap
  if (!reader.includes("node:internal/")) found.add(`reads the environment: ${String(key)}`);
};
process.env = new Proxy(environment, {
  get(target, key) {
    read(key);
    return Reflect.get(target, key);
  },
  has(target, key) {
    read(key);
    return Reflect.has(target, key);
  },
  ownKeys(target) {
    read("all of it");
    return Reflect.ownKeys(target);
  },
});
const write = process.stdout.write;
process.stdout.write = () => found.add("prints");
process.stderr.write = () => found.add("prints");

hook.enable();
await import(process.argv[2]);
hook.disable();

process.stdout.write = write;
process.env = environment;
for (const listener of listeners())
  if (!listenersBefore.has(listener)) found.add(`listens on the process: ${listener}`);
for (const key of Reflect.ownKeys(globalThis)) {
  if (!globals.has(key) && !OF_DEPENDENCIES.test(String(key))) found.add(`defines a global: ${String(key)}`);
}
console.log(JSON.stringify([...found].sort()));
process.exit();
