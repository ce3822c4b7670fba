/** A row of a contract table, and the comparison of an answer with it. */

import { differs, sequenceDiffers } from './compare/shape.ts';
import type { Answer, Call, RealSystem, State, TransportName } from './exchange.ts';

export interface Row {
  name: string;
  /** Default: `ready`. */
  state?: State;
  /** Earlier requests, whose answers are not compared. */
  before?: RowRequest[];
  request: RowRequest;
  expect: Expectation;
  /** Transports that cannot send this row, with the reason. */
  cannot?: Partial<Record<TransportName, string>>;
}

export interface RowRequest extends Omit<Call, 'body'> {
  json?: unknown;
  /** A body that is not JSON, or malformed. */
  body?: string;
}

export interface Expectation {
  status: number;
  /** Null: the header must be absent. Patterns are those of `shape.ts`. */
  headers?: Record<string, string | null>;
  /** The complete body. */
  text?: string;
  /** Parts that the raw body must contain: escapes, spacing. */
  contains?: string[];
  json?: unknown;
  /** A pattern for each line of NDJSON. Each line is a chunk of its own. */
  ndjson?: unknown[];
  /** A pattern for each event of SSE; `[DONE]` as text. A named event has the name of its `type`. */
  sse?: unknown[];
  /** Patterns of the first messages of a WebSocket. */
  messages?: unknown[];
  /** With real weights only: texts that the joined answer must contain. */
  realText?: string;
}

export interface ContractTable {
  api: RealSystem;
  /**
   * Workflows that are published before the first row. They name credentials by type and the name of a credential of
   * the table.
   */
  workflows?: Record<string, unknown>[];
  credentials?: { name: string; type: string; data: object }[];
  rows: Row[];
}

export function toCall(request: RowRequest): Call {
  const { json, body, ...call } = request;
  if (json === undefined) return body === undefined ? call : { ...call, body };
  return {
    ...call,
    headers: { 'content-type': 'application/json', ...call.headers },
    body: JSON.stringify(json),
  };
}

/** The differences between an answer and the row. Empty if there are none. */
export function rowDifferences(expected: Expectation, answer: Answer, realModel: boolean): string[] {
  const differences: (string | undefined)[] = [];
  if (answer.status !== expected.status) {
    differences.push(`status ${answer.status} instead of ${expected.status}: ${answer.body.slice(0, 200)}`);
  }
  for (const [name, pattern] of Object.entries(expected.headers ?? {})) {
    const value = answer.headers[name];
    if (pattern === null) {
      if (value !== undefined) differences.push(`header ${name}: ${value}, expected none`);
    } else {
      differences.push(
        value === undefined ? `header ${name} is missing` : differs(value, pattern, `header ${name}`),
      );
    }
  }
  if (expected.text !== undefined) differences.push(differs(answer.body, expected.text));
  for (const piece of expected.contains ?? []) {
    if (!answer.body.includes(piece))
      differences.push(`body lacks ${JSON.stringify(piece)}: ${answer.body.slice(0, 300)}`);
  }
  if (expected.json !== undefined)
    differences.push(parsed(answer.body, (value) => differs(value, expected.json)));
  if (expected.ndjson) differences.push(ndjsonDiffers(answer, expected.ndjson));
  if (expected.sse) differences.push(sseDiffers(answer, expected.sse));
  if (expected.realText !== undefined && realModel && !textOf(answer.body).includes(expected.realText)) {
    differences.push(`the model did not say "${expected.realText}": ${textOf(answer.body)}`);
  }
  return differences.filter((reason) => reason !== undefined);
}

export function ndjsonDiffers(answer: Answer, patterns: unknown[]): string | undefined {
  if (!answer.body.endsWith('\n')) return 'the last line does not end in a newline';
  const lines = answer.body.slice(0, -1).split('\n');
  const blank = lines.findIndex((line) => line.trim() === '');
  if (blank >= 0) return `line ${blank + 1} is blank`;
  const mixed = answer.chunks?.find((chunk) => chunk.indexOf('\n') !== chunk.length - 1);
  if (mixed !== undefined) return `a chunk is not one line: ${JSON.stringify(mixed.slice(0, 200))}`;
  return parsed(`[${lines.join(',')}]`, (values) => sequenceDiffers(values as unknown[], patterns, 'line'));
}

export function sseDiffers(answer: Answer, patterns: unknown[]): string | undefined {
  if (!answer.body.endsWith('\n\n')) return 'the last event does not end in an empty line';
  const events: unknown[] = [];
  for (const block of answer.body.slice(0, -2).split('\n\n')) {
    const [, name, data] = /^(?:event: (.+)\n)?data: (.*)$/.exec(block) ?? [];
    if (data === undefined) return `not an event: ${JSON.stringify(block.slice(0, 100))}`;
    try {
      const event = data === '[DONE]' ? data : JSON.parse(data);
      if (name !== undefined && name !== event.type) return `an event of type ${event.type} is named ${name}`;
      events.push(event);
    } catch {
      return `not JSON: ${data.slice(0, 100)}`;
    }
  }
  const mixed = answer.chunks?.find((chunk) => chunk.indexOf('\n\n') !== chunk.length - 2);
  if (mixed !== undefined) return `a chunk is not one event: ${JSON.stringify(mixed.slice(0, 200))}`;
  return sequenceDiffers(events, patterns, 'event');
}

function parsed(text: string, check: (value: unknown) => string | undefined): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `body is not JSON (${(error as Error).message}): ${text.slice(0, 200)}`;
  }
  return check(value);
}

/** All text of an answer, in any format. */
function textOf(body: string): string {
  return [...body.matchAll(/"(?:content|response|text|delta)":("(?:[^"\\]|\\.)*")/g)]
    .map(([, text]) => JSON.parse(text!) as string)
    .join('');
}
