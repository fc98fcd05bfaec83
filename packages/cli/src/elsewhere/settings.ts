import type { Settings } from "../settings/settings.ts";

/** What the flags of where steps run set. */
export function elsewhereSettings(options: {
  shared: string | undefined;
  gate?: string | undefined;
  "gate-url"?: string | undefined;
}): Partial<Settings> {
  const { shared, gate, "gate-url": gateUrl } = options;
  const given = Object.entries({ shared, gate, gateUrl }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}
