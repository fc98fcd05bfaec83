// The test runs of a run alone, without model, engine or log: what is subtracted from all others.

import { Workspace } from "./loop.mjs";
import material from "./material.json" with { type: "json" };

export async function contender() {
  return async () => {
    const workspace = new Workspace();
    workspace.write(material.wrong.file);
    await workspace.test();
    workspace.write(material.right.file);
    const { passed } = await workspace.test();
    return { passed, diagnoses: [material.right.says], report: material.report };
  };
}
