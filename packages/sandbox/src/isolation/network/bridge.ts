/** Where commands find the proxy, in a network of their own. */
export const PROXY_PORT = 3128;
/** The proxy's socket in the sandbox. */
export const PROXY_SOCKET = "/run/swarm-proxy";

const ADDRESS = `http://127.0.0.1:${PROXY_PORT}`;

/** Settings by which common programs find a proxy: curl, git, pip, npm, Node itself. */
export const PROXY_ENVIRONMENT: Readonly<Record<string, string>> = {
  HTTPS_PROXY: ADDRESS,
  https_proxy: ADDRESS,
  HTTP_PROXY: ADDRESS,
  http_proxy: ADDRESS,
  NO_PROXY: "localhost,127.0.0.1",
  no_proxy: "localhost,127.0.0.1",
  NODE_USE_ENV_PROXY: "1",
  // And trusts whom the others trust.
  NODE_USE_SYSTEM_CA: "1",
};

/**
 * For `node -e`, in the sandbox: lets the socket be reached by TCP, since that is what programs know, and runs the command that
 * its arguments name, on the same descriptors. Ends as the command did, a signal as 128 and its number.
 */
export const BRIDGE = `
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const net = require("node:net");

const server = net.createServer((client) => {
  const proxy = net.connect(${JSON.stringify(PROXY_SOCKET)});
  client.pipe(proxy).pipe(client);
  client.on("error", () => proxy.destroy());
  proxy.on("error", () => client.destroy());
});
// The whole group is asked to end; that is the command's to answer.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
server.listen(${PROXY_PORT}, "127.0.0.1", () => {
  const [program, channel, ...args] = process.argv.slice(1);
  const stdio = channel === "channel" ? [0, 1, 2, 3] : [0, 1, 2];
  const child = spawn(program, args, { stdio });
  child.once("error", (error) => {
    console.error(program + ": " + error.code);
    process.exit(error.code === "ENOENT" ? 127 : 126);
  });
  child.once("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
});
`;

/** A command behind the bridge. */
export function behindBridge(node: string, [program = "", ...args]: readonly string[], channel: boolean): string[] {
  return [node, "-e", BRIDGE, program, channel ? "channel" : "none", ...args];
}
