import {
  abortReason,
  InvalidInputError,
  type LLMClient,
  type LLMRequest,
  type LLMResponse,
  LLMResponseSchema,
  untilAborted,
} from "@swarm/core";
import { DEFAULT_IDLE_MS, DEFAULT_TIMEOUT_MS, type ModelOptions, type StreamOptions } from "./model-options.ts";
import { effortFault, type FaultCode, providerFault } from "./provider-fault.ts";
import { checkTimeLimits, TimeLimits } from "./time-limits.ts";

/** One provider's way to ask: what is particular to its API, and nothing of faults, aborts and checks. */
export type Protocol<Client, Body, Wire> = {
  provider: string;
  model: string;
  /** Makes the SDK's client, once, when it is first needed. Throws where it has no key; makes no request. */
  connect(): Client | Promise<Client>;
  encode(request: LLMRequest): Body;
  /** One request within `limits`, with the SDK's own retries off. */
  send(client: Client, body: Body, limits: TimeLimits): Promise<Wire>;
  /** Throws, anything, where the answer is not what the API promises. */
  decode(wire: Wire, request: LLMRequest): LLMResponse;
  /** The client's keys, which no message may show. */
  secrets(client: Client): (string | null)[];
};

export function modelClient<Client, Body, Wire>(
  protocol: Protocol<Client, Body, Wire>,
  options: ModelOptions & StreamOptions,
): LLMClient {
  if (protocol.model.trim() === "") throw new InvalidInputError("model", "is empty; give the provider's model name");
  const id = `${protocol.provider}:${protocol.model}`;
  const { timeoutMs = DEFAULT_TIMEOUT_MS, idleMs = DEFAULT_IDLE_MS } = options;
  checkTimeLimits({ timeoutMs, idleMs });
  let connected: Client | undefined;
  let takesEffort = true;

  async function connect(): Promise<Client> {
    connected ??= await protocol.connect();
    return connected;
  }

  function secrets(): string[] {
    return connected === undefined ? [] : protocol.secrets(connected).filter((secret) => secret !== null);
  }

  return {
    specificationVersion: "v1",
    id,
    window: options.window ?? null,
    price: options.price ?? null,
    async preflight() {
      await connect();
    },
    async complete(given, { signal }) {
      if (signal.aborted) throw abortReason(signal);
      const { effort: _, ...without } = given;
      const request: LLMRequest = takesEffort ? given : without;
      const limits = new TimeLimits(signal, { timeoutMs, idleMs });
      let blame: FaultCode = "BAD_REQUEST";
      try {
        const body = protocol.encode(request);
        blame = "REQUEST_FAILED";
        // Not left to the SDK alone: a client of the caller's own may have a fetch that does not listen.
        const wire = await untilAborted(limits.signal, async () => protocol.send(await connect(), body, limits));
        blame = "BAD_RESPONSE";
        const response = protocol.decode(wire, request);
        LLMResponseSchema.parse(response);
        return response;
      } catch (error) {
        if (signal.aborted) throw abortReason(signal);
        const refused = request.effort === undefined ? null : effortFault(id, error, secrets());
        if (refused) takesEffort = false;
        throw refused ?? providerFault(id, error, blame, secrets());
      } finally {
        limits.end();
      }
    },
  };
}
