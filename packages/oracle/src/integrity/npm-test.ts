/** What `npm test` would run in a project, as far as files of the project decide it. `script` is null without one. */
export type NpmTest = { script: string | null; shell: string; env: Record<string, string> };

/** `textAt` gives a file of the project; null where it is not there. */
export async function npmTest(textAt: (path: string) => Promise<string | null>): Promise<NpmTest> {
  const [manifest, settings] = [(await textAt("package.json")) ?? "", (await textAt(".npmrc")) ?? ""];
  const options = settingIn(settings, "node-options");
  return {
    script: scriptIn(manifest),
    shell: settingIn(settings, "script-shell") ?? "sh",
    env: options === null ? {} : { NODE_OPTIONS: options },
  };
}

function scriptIn(manifest: string): string | null {
  try {
    const scripts: Record<string, unknown> = JSON.parse(manifest).scripts ?? {};
    const steps = ["pretest", "test", "posttest"]
      .map((name) => scripts[name])
      .filter((step) => typeof step === "string");
    return typeof scripts["test"] === "string" ? steps.join(" && ") : null;
  } catch {
    return null;
  }
}

/** A value in an `.npmrc`. */
function settingIn(text: string, name: string): string | null {
  const lines = text.split("\n").map((line) => line.split(/=(.*)/s).map((part) => part.trim()));
  return lines.find(([key]) => key === name)?.[1] ?? null;
}
