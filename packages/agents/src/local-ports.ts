import type { Team } from "@swarm/core";
import { cleanRoomOracle, testRunner } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";

/** What a team runs with where its caller names nothing else: this machine's sandbox, test runner and oracle. */
export const localPorts: Team["defaults"] = {
  sandbox: () => localSandbox(),
  tests: () => testRunner(),
  oracle: () => cleanRoomOracle(),
};
