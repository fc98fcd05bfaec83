import type { AnyNode, Node } from "acorn";

export function is<T extends AnyNode["type"]>(node: Node, type: T): node is Extract<AnyNode, { type: T }> {
  return node.type === type;
}

/** The parts of a node by the names of their fields. */
export function partsOf(node: Node): [string, Node][] {
  return Object.entries(node).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((part): [string, Node] => [name, part]),
  );
}

/** A node and all within it, outer ones first. */
export function nodesIn(node: Node): Node[] {
  return [node, ...partsOf(node).flatMap(([, part]) => nodesIn(part))];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
