/** Values of a graph's fields. Whole numbers beyond 2^53, as seeds are, are bigint, so that none loses a digit. */
import { type JsonNode, MAX_JSON_NESTING, parseJson } from '#core/http';

export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonValue[]
  | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Throws with a text for people when it is not JSON. */
export function parseExactJson(text: string): JsonValue {
  return fromNode(parseJson(text, MAX_JSON_NESTING).root);
}

function fromNode(node: JsonNode): JsonValue {
  switch (node.type) {
    case 'object': {
      const fields: JsonObject = {};
      for (const [key, member] of node.members) {
        // `__proto__` must become a member like any other.
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

/** Exact, as a number where that holds it; undefined for a text that is no whole number. */
export function exactInteger(text: string): number | bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text.replace('+', ''));
}

/** JSON text; `indent` spaces a level. */
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

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
