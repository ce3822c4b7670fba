/** Parses JSON with the values and errors of the platform's `JSON.parse`, in steps that let the event loop continue. */
import { runYielding, type Steps } from '#core/base';
import { JsonSyntaxError } from './json-nodes.ts';
import { JSON_STEP, type JsonBuilder, type JsonCheckpoint, JsonScanner, TOO_DEEP } from './json-scanner.ts';

/** The text nests deeper than allowed. */
export class JsonTooDeep extends Error {
  override name = 'JsonTooDeep';
  constructor(maxDepth: number) {
    super(`nested more than ${maxDepth} levels deep`);
  }
}

type PlainObject = Record<string, unknown>;

const PLAIN: JsonBuilder<unknown, PlainObject, unknown[]> = {
  string: (value) => value,
  number: (text) => Number(text),
  literal: (value) => value,
  object: () => ({}),
  array: () => [],
  member(object, key, value) {
    if (key !== '__proto__') object[key] = value;
    // An assignment would set the prototype.
    else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  },
  item: (array, value) => void array.push(value),
  close: () => {},
};

/**
 * `JSON.parse` that yields to the event loop every 20 ms.
 * @param maxDepth how deeply containers may nest
 * @throws SyntaxError with the platform's message, JsonTooDeep, or the signal's reason
 */
export function parsePlainJson(text: string, maxDepth: number, signal: AbortSignal): Promise<unknown> {
  return runYielding(plainJsonSteps(text, maxDepth), signal);
}

/** The steps of `parsePlainJson`, of about a millisecond. */
export function* plainJsonSteps(text: string, maxDepth: number): Steps<unknown> {
  const scanner = new JsonScanner(text, PLAIN, maxDepth);
  try {
    yield* scanner.peek();
    const value = yield* scanner.value();
    const end = scanner.at;
    if ((yield* scanner.peek()) === '') return value;
    throw yield* platformError(text, scanner.at, { at: end, path: '[]' });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (error.message === TOO_DEEP) throw new JsonTooDeep(maxDepth);
    throw yield* platformError(text, error.position, scanner.checkpoints[0]);
  }
}

/**
 * The platform's error for a fault at `position`. The platform parses the text from `start` on alone, so the place in its
 * message is moved.
 */
function* platformError(text: string, position: number, start: JsonCheckpoint): Steps<SyntaxError> {
  const { line, lineStart } = yield* lineOf(text, start.at);
  const moved = start.at - start.path.length;
  try {
    JSON.parse(start.path + text.slice(start.at, position + JSON_STEP));
  } catch (error) {
    const message = (error as Error).message
      .replace(/(?<=\bposition )\d+/, (at) => String(Number(at) + moved))
      .replace(/\bline (\d+) column (\d+)/, (_, lines, column) => {
        const shift = lines === '1' ? moved - lineStart : 0;
        return `line ${Number(lines) + line} column ${Number(column) + shift}`;
      });
    return new SyntaxError(message);
  }
  return new SyntaxError('Unexpected end of JSON input');
}

/** The number of the line with `end`, from 0 on, and the offset of its start. */
function* lineOf(text: string, end: number): Steps<{ line: number; lineStart: number }> {
  let line = 0;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', lineStart)) {
    line++;
    lineStart = at + 1;
    if (line % JSON_STEP === 0) yield;
  }
  return { line, lineStart };
}
