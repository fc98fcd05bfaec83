/** Bytes as printable ASCII, all others as `\xff`: for a name that is no text. */
export function escapeBytes(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replace(/[^ -~]|\\/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
