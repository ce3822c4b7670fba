/**
 * A JSON parser that loses nothing and fails as Go's encoding/json does. Numbers keep their text, members keep their order
 * and duplicates, and every value knows its place. Only the first value of a text is read.
 */
import { runToEnd, type Steps } from '#core/base';
import {
  type JsonArrayNode,
  type JsonDocument,
  JsonEmptyError,
  type JsonNode,
  type JsonObjectNode,
} from './json-nodes.ts';
import { type JsonBuilder, JsonScanner } from './json-scanner.ts';

/** The depth limit of Go's encoding/json. */
const DEFAULT_MAX_DEPTH = 10_000;
/** The depth limit for values that recursive functions walk later. Real schemas in requests are never that deep. */
export const MAX_JSON_NESTING = 500;

const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Lone surrogates become U+FFFD, as in Go. */
export function replaceLoneSurrogates(text: string): string {
  return SURROGATE.test(text) ? text.replace(LONE_SURROGATE, '\ufffd') : text;
}

const NODES: JsonBuilder<JsonNode, JsonObjectNode, JsonArrayNode> = {
  string: (value, start, end) => ({ type: 'string', value: replaceLoneSurrogates(value), start, end }),
  number: (text, start, end) => ({ type: 'number', text, start, end }),
  literal: (value, start, end) =>
    value === null ? { type: 'null', start, end } : { type: 'bool', value, start, end },
  object: (start) => ({ type: 'object', members: [], start, end: 0 }),
  array: (start) => ({ type: 'array', items: [], start, end: 0 }),
  member: (object, key, value) => void object.members.push([replaceLoneSurrogates(key), value]),
  item: (array, value) => void array.items.push(value),
  close(container, end) {
    container.end = end;
  },
};

/**
 * Parses the first JSON value of `source`. Text after that value is ignored.
 * @param maxDepth how deeply containers may nest
 * @throws JsonEmptyError for a text without a value
 * @throws JsonSyntaxError with Go's message
 */
export function parseJson(source: string, maxDepth = DEFAULT_MAX_DEPTH): JsonDocument {
  return runToEnd(parseJsonSteps(source, maxDepth));
}

/** `parseJson` in steps of about a millisecond. */
export function* parseJsonSteps(source: string, maxDepth = DEFAULT_MAX_DEPTH): Steps<JsonDocument> {
  return { source, root: yield* scanJson(source, NODES, maxDepth) };
}

/**
 * Parses the first JSON value of `source` into the values of `builder`, in steps of about a millisecond.
 * @throws as `parseJson`
 */
export function* scanJson<Value, ObjectValue extends Value, ArrayValue extends Value>(
  source: string,
  builder: JsonBuilder<Value, ObjectValue, ArrayValue>,
  maxDepth: number,
): Steps<Value> {
  const scanner = new JsonScanner(source, builder, maxDepth);
  if ((yield* scanner.peek()) === '') throw new JsonEmptyError('EOF', source.length);
  return yield* scanner.value();
}
