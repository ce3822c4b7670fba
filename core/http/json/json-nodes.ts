/** Parsed JSON that has lost nothing of its text. */

/** UTF-16 offsets into the source: the value is [start, end). */
interface Span {
  start: number;
  end: number;
}

/** Members in the order of the text, duplicate keys included. */
export interface JsonObjectNode extends Span {
  type: 'object';
  members: [key: string, value: JsonNode][];
}

export interface JsonArrayNode extends Span {
  type: 'array';
  items: JsonNode[];
}

/** A value and its place in the source. `text` of a number is as it was written: 1.0 stays apart from 1. */
export type JsonNode =
  | JsonObjectNode
  | JsonArrayNode
  | (Span & { type: 'string'; value: string })
  | (Span & { type: 'number'; text: string })
  | (Span & { type: 'bool'; value: boolean })
  | (Span & { type: 'null' });

/** A parsed JSON text. `source` is the text itself, for positions in errors. */
export interface JsonDocument {
  source: string;
  root: JsonNode;
}

/** The text is no JSON. The message is that of Go's encoding/json. */
export class JsonSyntaxError extends Error {
  override name = 'JsonSyntaxError';

  /** @param position UTF-16 offset of the first character that does not fit */
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(message);
  }
}

/** The text holds no value at all: only white space. */
export class JsonEmptyError extends JsonSyntaxError {
  override name = 'JsonEmptyError';
}

/** The node as a JavaScript value: numbers become doubles, and the last of duplicate keys counts. */
export function toPlainValue(node: JsonNode): unknown {
  switch (node.type) {
    case 'object':
      return toPlainObject(node);
    case 'array':
      return node.items.map(toPlainValue);
    case 'number':
      return Number(node.text);
    case 'null':
      return null;
    default:
      return node.value;
  }
}

/** The object as a JavaScript object, with a member `__proto__` like any other. */
export function toPlainObject(node: JsonObjectNode): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [key, value] of node.members) {
    // An assignment to `__proto__` would set the prototype.
    Object.defineProperty(record, key, {
      value: toPlainValue(value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return record;
}
