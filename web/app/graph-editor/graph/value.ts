/** JSON values of nodes. Integers beyond 2^53, such as seeds, are bigint, so that no digit is lost. */
import { type JsonNode, MAX_JSON_NESTING, parseJson } from '#core/http';

export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonValue[]
  | { [key: string]: JsonValue };
export type ExactJsonObject = { [key: string]: JsonValue };

/** Parses JSON without losing digits of integers. Throws an error with a readable message for invalid JSON. */
export function parseExactJson(text: string): JsonValue {
  return fromNode(parseJson(text, MAX_JSON_NESTING).root);
}

function fromNode(node: JsonNode): JsonValue {
  switch (node.type) {
    case 'object': {
      const fields: ExactJsonObject = {};
      for (const [key, member] of node.members) {
        // An assignment to `__proto__` would set the prototype.
        Object.defineProperty(fields, key, {
          value: fromNode(member),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      }
      return fields;
    }
    case 'array':
      return node.items.map(fromNode);
    case 'number':
      return exactInteger(node.text) ?? Number(node.text);
    case 'null':
      return null;
    default:
      return node.value;
  }
}

/** Parses an integer exactly: a number if that is safe, else a bigint. Undefined for any other text. */
export function exactInteger(text: string): number | bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text.replace('+', ''));
}

/** Prints JSON with `indent` spaces per level. */
export function printExactJson(value: JsonValue | undefined, indent = 0, outer = ''): string {
  if (value === undefined) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const inner = outer + ' '.repeat(indent);
  const [line, end] = indent > 0 ? [`\n${inner}`, `\n${outer}`] : ['', ''];
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[${value.map((item) => line + printExactJson(item, indent, inner)).join(',')}${end}]`;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return '{}';
  const colon = indent > 0 ? ': ' : ':';
  return `{${members.map(([key, member]) => line + JSON.stringify(key) + colon + printExactJson(member, indent, inner)).join(',')}${end}}`;
}

export function isJsonObject(value: JsonValue | undefined): value is ExactJsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
