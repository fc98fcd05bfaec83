import { sha256 } from "@swarm/core";
import { describe, expect, it } from "vitest";
import { fixture, run, temporaryFolder, tiers } from "./support.ts";

const folder = temporaryFolder();
const kept = run({ loads: true });

describe.each(tiers)("what a command loads in the %s tier", (tier) => {
  const { open } = fixture(tier, folder);
  const hashes = (files: Record<string, string>) =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, sha256(text)]));

  const PYTHON = {
    "app.py": "import package.part\nimport subprocess, sys\nsubprocess.run([sys.executable, 'child.py'], check=True)\n",
    "package/__init__.py": "",
    "package/part.py": "x = 1\n",
    "child.py": "import os\nos.chdir('/')\nprint('ran')\n",
  };
  const NODE = {
    "app.mjs":
      'import "./part.cjs"; import { execFileSync } from "node:child_process"; import "./typed.ts";\nexecFileSync(process.execPath, ["child.js"]);\n',
    "part.cjs": 'require("./data.json");\n',
    "data.json": "{}\n",
    "typed.ts": "export const x: number = 1;\n",
    "child.js": "module.exports = 1;\n",
  };

  it.each([
    ["Python", ["python3", "app.py"], PYTHON],
    ["Node", ["node", "app.mjs"], NODE],
  ])("is told of %s, of all that it imports and starts, and of nothing else", async (_, argv, files) => {
    const workspace = await open({ ...files, "unused.py": "", "unused.js": "" });
    const { code, output, loaded } = await workspace.exec(argv, kept);
    expect(output, output).not.toContain("Error");
    expect(code).toBe(0);
    expect(loaded).toEqual(hashes(files));
  });

  it("is what the files were when they were loaded", async () => {
    const python = "import pathlib\npathlib.Path(__file__).write_text('changed')\n";
    const node = 'require("node:fs").writeFileSync(__filename, "changed");\n';
    const workspace = await open({ "own.py": python, "own.cjs": node });
    const { loaded } = await workspace.exec(["sh", "-c", "python3 own.py && node own.cjs"], kept);
    expect(loaded).toEqual(hashes({ "own.py": python, "own.cjs": node }));
    expect(Buffer.from(await workspace.read("own.py")).toString()).toBe("changed");
  });

  it("is told though the program patches what it finds, or fails", async () => {
    const text = "import builtins, os\nbuiltins.open = os.open = os.write = None\nimport part\n";
    const files = { "patch.py": text, "part.py": "raise SystemExit(3)\n" };
    const workspace = await open(files);
    const { code, loaded } = await workspace.exec(["python3", "patch.py"], kept);
    expect({ code, loaded }).toEqual({ code: 3, loaded: hashes(files) });
  });

  it("is kept beside the channel, and of a command that waited for its use", async () => {
    const files = { "part.py": "" };
    const workspace = await open(files);
    const argv = [
      "python3",
      "-c",
      "import os, sys; told = sys.stdin.read(); sys.path.insert(0, os.getcwd()); exec(told)",
    ];
    const options = run({ loads: true, channel: true, ahead: argv, input: "import part; os.write(3, b'told')" });
    for (let turn = 0; turn < 2; turn++) {
      const { channel, loaded, output } = await workspace.exec(argv, options);
      expect({ channel, loaded, output }).toEqual({ channel: "told", loaded: hashes(files), output: "" });
    }
  });

  it("is not kept unless it is asked for, and leaves nothing to be seen", async () => {
    const workspace = await open({ "main.py": "import sys\nprint(sys.path[1:])\n" });
    const env = await workspace.exec(["env"], run());
    expect(env).not.toHaveProperty("loaded");
    expect(env.output).not.toMatch(/PYTHONPATH|NODE_OPTIONS/);
    const [plain, watched] = [run(), kept].map((options) => () => workspace.exec(["python3", "main.py"], options));
    expect((await watched!()).output).toBe((await plain!()).output);
    const settings = run({ loads: true, env: { PYTHONPATH: "/workspace/lib", NODE_OPTIONS: "--no-warnings" } });
    const { output } = await workspace.exec(["env"], settings);
    expect(output).toMatch(/^PYTHONPATH=.+:\/workspace\/lib$/m);
    expect(output).toMatch(/^NODE_OPTIONS=--no-warnings --import=file:.+$/m);
  });

  it("leaves the sitecustomize that would have been loaded in its place", async () => {
    const files = {
      "lib/sitecustomize.py": "import builtins\nbuiltins.customized = True\n",
      "main.py": "print(customized)\n",
    };
    const workspace = await open(files);
    const options = run({ loads: true, env: { PYTHONPATH: "/workspace/lib" } });
    const { output, loaded } = await workspace.exec(["python3", "main.py"], options);
    expect(output).toBe("True\n");
    expect(loaded).toEqual(hashes(files));
  });

  it("does not count what does not know the account's number, and reads no file in its place", async () => {
    const find = "import os; records = os.path.dirname(os.environ['PYTHONPATH']) + '/records'\n";
    const forge = `${find}open(records, 'a').write('0' * 32 + ' ' + 'a' * 64 + ' never.py\\n')\n`;
    const workspace = await open({ "forge.py": forge, "never.py": "" });
    expect((await workspace.exec(["python3", "forge.py"], kept)).loaded).toEqual(hashes({ "forge.py": forge }));
    const replace = `${find}os.remove(records); os.symlink('/etc/passwd', records)\n`;
    const result = await workspace.exec(["python3", "-c", replace], kept);
    expect(result.loaded ?? {}).toEqual({});
  });
});
