import { InvalidInputError } from "@swarm/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { allowListFrom, isAllowed, isPublic } from "./allow-list.ts";

it("takes hosts with and without a port", () => {
  expect(allowListFrom(["Registry.npmjs.org", "*.example.org:8443", "127.0.0.1:80"])).toEqual([
    { name: "registry.npmjs.org", port: 443 },
    { name: "*.example.org", port: 8443 },
    { name: "127.0.0.1", port: 80 },
  ]);
  const wrong = [
    "",
    "*",
    "*.",
    "https://a.org",
    "a.org/",
    "a.org:0",
    "a.org:70000",
    "a b",
    "a.*.org",
    "a.org\n",
    "::1",
  ];
  for (const entry of wrong) {
    expect(() => allowListFrom(["a.org", entry]), entry).toThrow(InvalidInputError);
    expect(() => allowListFrom(["a.org", entry]), entry).toThrow(/^network\[1\]: is /);
  }
});

it("allows a host by its name, its letters in any case, and only at its port", () => {
  const list = allowListFrom(["a.org", "*.b.org"]);
  for (const host of ["a.org", "A.ORG", "a.org.", "x.b.org", "x.y.b.org"])
    expect(isAllowed(list, host, 443)).toBe(true);
  for (const host of ["x.a.org", "b.org", "xb.org", "a.org.evil.net", "evil-a.org", "a.org..", ""]) {
    expect(isAllowed(list, host, 443), host).toBe(false);
  }
  expect(isAllowed(list, "a.org", 80)).toBe(false);
  expect(isAllowed([], "a.org", 443)).toBe(false);
});

it("allows under a name nothing but names that end with it", () => {
  const label = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
  const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
  fc.assert(
    fc.property(name, name, (below, host) => {
      expect(isAllowed(allowListFrom([`*.${below}`]), host, 443)).toBe(
        host.endsWith(`.${below}`) && !/^\d+\.\d+\.\d+\.\d+$/.test(host),
      );
    }),
  );
});

it("tells the Internet's addresses from those of a machine, a network or a cloud", () => {
  for (const address of ["1.1.1.1", "93.184.215.14", "172.32.0.1", "2606:4700:4700::1111"]) {
    expect(isPublic(address), address).toBe(true);
  }
  for (const address of [
    ...["127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1"],
    ...["169.254.169.254", "224.0.0.1", "255.255.255.255", "::1", "::", "::ffff:127.0.0.1", "::ffff:169.254.169.254"],
    ...["fe80::1", "fd00:ec2::254", "ff02::1", "64:ff9b::a00:1", "2002:a00:1::"],
  ]) {
    expect(isPublic(address), address).toBe(false);
  }
});
