import { type JsonNode, MAX_JSON_NESTING, parseJson } from '#core/http';

/**
 * JSON as Python reads it, because clients expect their graphs back unchanged. Integers are exact at any length
 * (bigint), other numbers are doubles (number). Objects keep the order of their keys, which plain objects would sort:
 * ids of nodes look like integers.
 */
export type PythonValue = null | boolean | string | bigint | number | PythonValue[] | PythonObject;
export type PythonObject = Map<string, PythonValue>;

/** @throws `JsonSyntaxError` */
export function parsePythonJson(text: string): PythonValue {
  return fromNode(parseJson(text, MAX_JSON_NESTING).root);
}

function fromNode(node: JsonNode): PythonValue {
  switch (node.type) {
    case 'object':
      return new Map(node.members.map(([key, value]) => [key, fromNode(value)]));
    case 'array':
      return node.items.map(fromNode);
    case 'number':
      return /^-?\d+$/.test(node.text) ? BigInt(node.text) : Number(node.text);
    case 'null':
      return null;
    default:
      return node.value;
  }
}

export function isPythonObject(value: PythonValue | undefined): value is PythonObject {
  return value instanceof Map;
}
