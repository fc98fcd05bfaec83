/**
 * The HTTP service, not listening yet.
 * @returns {import("node:http").Server}
 */
export function createApi() {
  throw new Error("not implemented");
}
