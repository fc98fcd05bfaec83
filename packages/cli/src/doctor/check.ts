/** One thing that runs want. `costs` is what does not work without it; only what is `required` makes runs impossible. */
export type Check = { name: string; ok: boolean; required: boolean; found: string; costs: string };
