import { mkdir, rm, symlink } from "node:fs/promises";
import { processGroup } from "../exec/process-tree.ts";
import { lineDescriptor } from "../exec/run-command.ts";
import { MARKER } from "../exec/stray-processes.ts";
import { withAccess } from "../files/with-access.ts";
import { WORKSPACE_ROOT } from "../files/workspace-path.ts";
import { keepLoads } from "../loads/keep-loads.ts";
import { HOME, TEMPORARY } from "./environment.ts";
import { type Isolation, joinAndExec, NO_CORE_FILE } from "./isolation.ts";
import { MODULES } from "./modules.ts";

/**
 * No isolation but what an ordinary process has: a clean environment, its own group, and an end for it. It can read and
 * write what the user can, and reach the network.
 */
export const plainProcess: Isolation = {
  rebase: true,
  ahead: false,
  ownPrograms: false,
  async launch(place, { argv, cwd, env, options }) {
    const line = lineDescriptor(options);
    const toHost = (text: string) => text.replace(ROOT_IN_TEXT, () => place.workspace);
    const [file, ...args] = [...joinAndExec(`${NO_CORE_FILE}; ${waitOn(line)}`), ...argv.map(toHost)];
    const temporary = place.base + TEMPORARY;
    await withAccess(temporary, () => rm(temporary, { recursive: true, force: true }));
    await mkdir(place.base + HOME, { recursive: true });
    await rm(place.base + MODULES, { force: true });
    if (options.modules) await symlink(options.modules, place.base + MODULES);
    const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, toHost(value)]));
    const loads = options.loads ? keepLoads(place, place.base, variables) : null;
    return {
      file,
      args,
      cwd: cwd === "" ? place.workspace : `${place.workspace}/${cwd}`,
      env: {
        HOME: place.base + HOME,
        TMPDIR: temporary,
        ...variables,
        ...loads?.env,
        [MARKER]: place.workspace,
      },
      line: true,
      ...(loads ? { loads } : {}),
      tree: (child) => processGroup(child, { folder: place.workspace, line }),
    };
  },
  async release() {},
};

/** Until a line comes: the command may leave what can only be found by its output, which has no name once it has ended. */
const waitOn = (descriptor: number) => `read -r go <&${descriptor} || exit; exec ${descriptor}>&-`;

/** The root where it begins a path: not in the middle of another, and not as the beginning of another name. */
const ROOT_IN_TEXT = new RegExp(`(?<![\\w./-])${WORKSPACE_ROOT}(?![\\w.-])`, "g");
