/** Where a hook writes and what it writes down: paths as the command sees them. */
export type HookTold = { records: string; root: string; nonce: string };

/**
 * For Python, as `sitecustomize`, which every interpreter loads at its start: writes down each module of the workspace when its
 * code is about to run. What is read here is what was compiled a moment before. It leaves no trace on the path, and loads the
 * `sitecustomize` that it stands before. A file of that name is never the program's own: its folder comes onto the path later.
 */
export function pythonHook(told: HookTold): string {
  return String.raw`
import os
import sys


def keep_account(records, root, nonce):
    try:
        from _sha2 import sha256
    except ImportError:
        from _sha256 import sha256  # before Python 3.12

    def hook(
        event,
        arguments,
        fsencode=os.fsencode,
        realpath=os.path.realpath,
        read=open,
        open=os.open,
        write=os.write,
        close=os.close,
        flags=os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC,
    ):
        if event != "exec":
            return
        try:
            code = arguments[0]
            if code.co_name != "<module>" or code.co_filename[:1] == "<":
                return
            path = realpath(code.co_filename)
            if not path.startswith(root):
                return
            with read(path, "rb") as file:
                digest = sha256(file.read()).hexdigest()
            descriptor = open(records, flags)
            try:
                write(descriptor, fsencode(f"{nonce} {digest} {path[len(root):]}\n"))
            finally:
                close(descriptor)
        except Exception:
            pass  # what cannot be written down counts as not loaded; the program must not notice

    sys.addaudithook(hook)


def load_other():
    from importlib.util import find_spec, module_from_spec

    own = sys.modules.pop("sitecustomize")
    folder = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != folder]
    spec = find_spec("sitecustomize")
    module = module_from_spec(spec) if spec else own
    sys.modules["sitecustomize"] = module
    if spec:
        spec.loader.exec_module(module)


keep_account(${JSON.stringify(told.records)}, ${JSON.stringify(told.root)}, ${JSON.stringify(told.nonce)})
load_other()
`;
}

/** For Node, by `--import`: writes down each module of the workspace, of either kind, when Node is about to load it. */
export function nodeHook(told: HookTold): string {
  return String.raw`
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, realpathSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const { records, root, nonce } = ${JSON.stringify(told)};
const [append, read, real] = [appendFileSync, readFileSync, realpathSync];

registerHooks({
  load(url, context, nextLoad) {
    writeDown(url);
    return nextLoad(url, context);
  },
});

function writeDown(url) {
  try {
    if (!url.startsWith("file:")) return;
    const path = real(fileURLToPath(url));
    if (!path.startsWith(root)) return;
    const digest = createHash("sha256").update(read(path)).digest("hex");
    append(records, nonce + " " + digest + " " + path.slice(root.length) + "\n");
  } catch {
    // What cannot be written down counts as not loaded; the program must not notice.
  }
}
`;
}
