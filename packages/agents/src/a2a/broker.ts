import type { Json } from "@swarm/core";
import { z } from "zod";
import { AddressedSchema, type Intent, type Message, MessageSchema } from "./message.ts";

/** What an agent says of itself before anything else: the intents that it accepts, and from whom. */
export type Advertisement = { agent: string; accepts: readonly { intent: Intent; from: string }[] };

/** One request and its reply. */
export type Exchange = { taskId: string; correlationId: string };

/**
 * Why a message was not delivered.
 * - `malformed`: it is no message, or its payload does not fit its intent.
 * - `wrong-sender`: it speaks in another's name, or comes from one who may not send this.
 * - `undeclared-intent`: its receiver has not said that it accepts this.
 * - `wrong-task`, `wrong-correlation`: it belongs to another exchange than the present one.
 * - `out-of-turn`: a reply before the request, or anything after the reply.
 */
export type Rejection =
  | "malformed"
  | "wrong-sender"
  | "undeclared-intent"
  | "wrong-task"
  | "wrong-correlation"
  | "out-of-turn";

/** What became of a message that came out of an agent's outbox. */
export type Receipt = { from: string; message: Json } & (
  | { delivered: true }
  | { delivered: false; reason: Rejection; problem: string }
);

type Turn = "request" | "reply" | "over";

/**
 * Keeps one queue an agent, so that agents never hold each other: what one sends is checked and put into the queue of
 * another, or discarded. Pure state, without clock or chance, so that a workflow that is run again has the same queues.
 */
export class Broker {
  readonly #accepts = new Map<string, Advertisement["accepts"]>();
  readonly #queues = new Map<string, Message[]>();
  #exchange: Exchange | null = null;
  #turn: Turn = "over";

  /** Before its advertisement an agent gets no message. */
  advertise({ agent, accepts }: Advertisement): void {
    this.#accepts.set(agent, accepts);
    this.#queues.set(agent, []);
  }

  /** From here on only messages of this exchange are delivered: its request, then one reply. */
  open(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#turn = "request";
  }

  /** From here on no message is delivered, until another exchange is open. */
  close(): void {
    this.#turn = "over";
  }

  /** Takes what came out of an agent's outbox, in order. One receipt a message. */
  send(from: string, outbox: readonly Json[]): Receipt[] {
    return outbox.map((message) => {
      const refused = this.#problemOf(from, message);
      if (refused) return { from, message, delivered: false, ...refused };
      const sound = message as Message;
      this.#turn = sound.intent === "review_request" ? "reply" : "over";
      this.#queues.get(sound.receiver)?.push(sound);
      return { from, message, delivered: true };
    });
  }

  /** An agent's messages in the order in which they came; its queue is empty then. */
  take(agent: string): Message[] {
    return this.#queues.get(agent)?.splice(0) ?? [];
  }

  #problemOf(from: string, message: Json): { reason: Rejection; problem: string } | null {
    const no = (reason: Rejection, problem: string) => ({ reason, problem });
    const addressed = AddressedSchema.safeParse(message);
    if (!addressed.success) return no("malformed", z.prettifyError(addressed.error));
    const { sender, receiver, intent, taskId, correlationId } = addressed.data;
    if (sender !== from) return no("wrong-sender", `${from} speaks as ${sender}`);
    const accepted = this.#accepts.get(receiver)?.filter((accepts) => accepts.intent === intent) ?? [];
    if (accepted.length === 0) return no("undeclared-intent", `${receiver} does not accept ${intent}`);
    if (!accepted.some((accepts) => accepts.from === sender))
      return no("wrong-sender", `${receiver} accepts no ${intent} from ${sender}`);
    if (taskId !== this.#exchange?.taskId)
      return no("wrong-task", `it is about ${taskId}, and the work about ${this.#exchange?.taskId ?? "nothing"}`);
    if (correlationId !== this.#exchange.correlationId)
      return no("wrong-correlation", `it belongs to ${correlationId}, and not to ${this.#exchange.correlationId}`);
    const turn: Turn = intent === "review_request" ? "request" : "reply";
    if (turn !== this.#turn) return no("out-of-turn", `a ${turn} came, and awaited was: ${this.#turn}`);
    const whole = MessageSchema.safeParse(message);
    return whole.success ? null : no("malformed", z.prettifyError(whole.error));
  }
}
