import { BlockList, isIP } from "node:net";
import { InvalidInputError } from "@swarm/core";

/** A host that commands may reach: by its name, all names below one (`*.example.org`), or its IPv4 address. */
export type AllowedHost = { name: string; port: number };

const ENTRY = /^((?:\*\.)?(?:[a-z0-9_-]+\.)*[a-z0-9_-]+)(?::(\d{1,5}))?$/;
const HTTPS = 443;

/** Throws an {@link InvalidInputError} for an entry that is not `host` or `host:port`; the port is 443 unless it says so. */
export function allowListFrom(entries: readonly string[]): AllowedHost[] {
  return entries.map((entry, index) => {
    const [, name, port = String(HTTPS)] = ENTRY.exec(entry.toLowerCase()) ?? [];
    if (name === undefined || Number(port) < 1 || Number(port) > 65_535) {
      const right = '"example.org", "*.example.org" or "example.org:8443"';
      throw new InvalidInputError(`network[${index}]`, `is ${JSON.stringify(entry)}; give a host such as ${right}`);
    }
    return { name, port: Number(port) };
  });
}

/** Whether the list names this host at this port. */
export function isAllowed(list: readonly AllowedHost[], host: string, port: number): boolean {
  const wanted = host.toLowerCase().replace(/\.$/, "");
  return list.some(({ name, port: allowed }) => {
    if (port !== allowed) return false;
    return name.startsWith("*.") ? wanted.endsWith(name.slice(1)) && isIP(wanted) === 0 : wanted === name;
  });
}

/**
 * Whether an address is of the Internet at large. Others, of this machine, its network or a cloud's own services, are reached
 * only when the list names them by address: a name could be made to lead there by whoever owns it.
 */
export function isPublic(address: string): boolean {
  return !PRIVATE.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::", 96],
  ["64:ff9b::", 96],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  PRIVATE.addSubnet(network, prefix, "ipv6");
}
