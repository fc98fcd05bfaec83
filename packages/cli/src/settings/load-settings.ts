import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { didYouMean, InvalidInputError } from "@swarm/core";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { SETTING_KEYS, SETTINGS, type Settings } from "./settings.ts";
import { checkedValue, type SettingValue, valueInText } from "./values.ts";

type Environment = Readonly<Record<string, string | undefined>>;
/** Where settings are looked for: the folder of `.env` and the configuration file, and the environment. */
export type SettingSources = { readonly cwd: string; readonly env: Environment };
type Layer = { [K in keyof Settings]?: SettingValue };

/**
 * The settings: each from the last of the defaults, `swarm.config.{ts,mjs,json}`, `.env`, the environment and `overrides`
 * that has it. A variable that is empty is not set. `sources` is by default the process's folder and environment, which is
 * read and not changed. Throws an {@link InvalidInputError} that names the setting, its value and its range, in any of them.
 */
export async function loadSettings(
  overrides: Partial<Settings> = {},
  sources: SettingSources = { cwd: process.cwd(), env: process.env },
): Promise<Settings> {
  const config = await readConfigFile(sources.cwd);
  const layers: Layer[] = [
    Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].default])),
    config ? fromFile(config) : {},
    fromEnvironment(await readDotEnv(sources.cwd), " (.env)"),
    fromEnvironment(sources.env),
    fromObject(overrides),
  ];
  return Object.assign({}, ...layers) as Settings; // every value was checked, and the defaults are complete
}

async function readDotEnv(cwd: string): Promise<Environment> {
  try {
    return parseEnv(await readFile(join(cwd, ".env"), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

function fromEnvironment(env: Environment, where = ""): Layer {
  const layer: Layer = {};
  for (const key of SETTING_KEYS) {
    const { variable } = SETTINGS[key];
    const text = env[variable]?.trim();
    if (text) layer[key] = valueInText(SETTINGS[key], text, variable, where);
  }
  return layer;
}

function fromFile({ name, values }: ConfigFile): Layer {
  const where = ` (${name})`;
  const layer = fromObject(values, where);
  const secret = SETTING_KEYS.find((key) => key in layer && SETTINGS[key].kind.type === "secret");
  if (secret === undefined) return layer;
  const { variable } = SETTINGS[secret];
  throw new InvalidInputError(secret, `is a secret and belongs in no committed file: set ${variable}${where}`);
}

function fromObject(values: object, where = ""): Layer {
  const layer: Layer = {};
  for (const [name, value] of Object.entries(values)) {
    const key = SETTING_KEYS.find((key) => key === name);
    if (!key) throw new InvalidInputError(name, `is no setting${didYouMean(name, SETTING_KEYS)}${where}`);
    if (value !== undefined) layer[key] = checkedValue(SETTINGS[key], value, key, where);
  }
  return layer;
}
