import type { Script } from "@swarm/core/testing";
import type { MockDelivery } from "../read-task-file.ts";
import { finish, look, tests, write } from "./calls.ts";

/** The wrong delivery, with tests where the task brings none; they fail, the right delivery, they pass, and it ends its work. */
export function coderScript(delivery: MockDelivery): Script {
  const { wrong, right, suite, story } = delivery;
  const mended = story === "never" ? wrong : right;
  const answers = [
    look(delivery, wrong.files),
    write({ ...wrong.files, ...suite?.files }),
    tests(delivery),
    write(mended.files),
    tests(delivery),
    finish(mended),
  ].filter((calls) => calls.length > 0);
  return Object.fromEntries(answers.map((calls, nth) => [`run/work|coder|0.${nth}`, calls]));
}
