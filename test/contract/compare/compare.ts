/**
 * Compares an answer with a recorded one in everything that clients rely on.
 * These are status, relevant headers, fields and their order, fixed values, error texts, and the framing of a stream.
 * Generated words, ids, times, sizes and paths vary.
 */
import type { Answer } from '../exchange.ts';

const HEADERS = ['content-type', 'allow', 'location', 'vary'];

/** Fields whose value varies by run or machine. Their type has to match. */
const VARYING = new Set([
  ...['created_at', 'modified_at', 'expires_at', 'created', 'completed_at'],
  ...['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration', 'eval_count'],
  ...['digest', 'size', 'size_vram', 'total', 'completed', 'id', 'request_id', 'tool_call_id', 'call_id'],
  ...['content', 'response', 'thinking', 'reasoning', 'text', 'delta', 'arguments', 'input', 'name_hash'],
  ...['token', 'logprob', 'bytes', 'context', 'embedding', 'embeddings', 'completion_tokens'],
  ...['output_tokens', 'total_tokens', 'item_id', 'ram_total', 'ram_free', 'vram_total', 'vram_free'],
  ...['torch_vram_total', 'torch_vram_free', 'comfyui_version', 'python_version', 'argv'],
]);

/** The most significant difference. Undefined: the answers are equal. */
export function compare(expected: Answer, actual: Answer): string | undefined {
  if (actual.status !== expected.status) {
    return `status ${actual.status} instead of ${expected.status}${actual.body ? `: ${cut(actual.body)}` : ''}`;
  }
  for (const name of HEADERS) {
    const [expectedPart, actualPart] = [header(expected, name), header(actual, name)];
    if (expectedPart !== actualPart)
      return `${name}: ${actualPart ?? 'none'} instead of ${expectedPart ?? 'none'}`;
  }
  const cors = Object.keys(expected.headers).filter((name) => name.startsWith('access-control-'));
  for (const name of cors) {
    if (expected.headers[name] !== actual.headers[name]) {
      return `${name}: ${cut(actual.headers[name] ?? 'none')} instead of ${cut(expected.headers[name]!)}`;
    }
  }
  return compareBodies(expected, actual);
}

function header(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  // Proxies and compression add their own values to Vary.
  return name === 'vary' ? value?.replace(/,? ?accept-encoding/i, '') || undefined : value;
}

function compareBodies(expected: Answer, actual: Answer): string | undefined {
  const [expectedPart, actualPart] = [outline(expected), outline(actual)];
  if (expectedPart.framing !== actualPart.framing)
    return `framed as ${actualPart.framing} instead of ${expectedPart.framing}`;
  const length = Math.max(expectedPart.items.length, actualPart.items.length);
  for (let index = 0; index < length; index++) {
    if (expectedPart.items[index] === actualPart.items[index]) continue;
    const place = expectedPart.items.length > 1 || actualPart.items.length > 1 ? `part ${index + 1}: ` : '';
    return `${place}${difference(expectedPart.items[index], actualPart.items[index])}`;
  }
  return undefined;
}

interface Outline {
  framing: string;
  /** An entry for each line or event, with generated values masked. Equal neighbors count once. */
  items: string[];
}

function outline({ body, headers }: Answer): Outline {
  const type = headers['content-type'] ?? '';
  if (type.startsWith('text/event-stream')) {
    const blocks = body.split('\n\n').filter((block) => block !== '');
    return { framing: body.endsWith('\n\n') ? 'events' : 'cut events', items: merge(blocks.map(eventForm)) };
  }
  if (type.startsWith('application/x-ndjson')) {
    const lines = body.split('\n').filter((line) => line !== '');
    return { framing: body.endsWith('\n') ? 'lines' : 'cut lines', items: merge(lines.map(form)) };
  }
  const framing = /json/.test(type) ? (body.endsWith('\n') ? 'JSON and a newline' : 'JSON') : 'text';
  return { framing: body === '' ? 'nothing' : framing, items: [form(body)] };
}

function eventForm(block: string): string {
  const data = block.replace(/^(event: \S+\n)?data: /, '');
  const event = /^event: (\S+)\n/.exec(block)?.[1];
  return `${event ? `${event} ` : ''}${form(data)}`;
}

function merge(items: string[]): string[] {
  return items.filter((item, index) => index === 0 || item !== items[index - 1]);
}

function form(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return steady(text);
  }
  return JSON.stringify(mask(value, ''));
}

function mask(value: unknown, key: string): unknown {
  // A description of a tool's parameters is data, and no generated text.
  if (VARYING.has(key) && (typeof value !== 'object' || Array.isArray(value))) return kind(value);
  if (typeof value === 'string') return steady(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => mask(item, ''));
    if (key === 'logprobs') return merge(items.map((item) => JSON.stringify(item)));
    // Sorts the tensors, because a rewritten file does not keep their order.
    return key === 'tensors' ? items.map((item) => JSON.stringify(item)).sort() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mask(item, name)]));
}

function kind(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '<empty array>' : '<array>';
  if (typeof value === 'string') return value === '' ? '' : '<text>';
  return value === null ? '<null>' : `<${typeof value}>`;
}

/** Masks the varying parts of a text: digests, paths of a model store, ports of loopback addresses. */
function steady(text: string): string {
  return text
    .replace(/sha256[:-][0-9a-f]{64}/g, '<digest>')
    .replace(/pulling [0-9a-f]{12}/g, 'pulling <layer>')
    .replace(/(^|[\s"])[^\s"]*\/<digest>/g, '$1<blob>')
    .replace(/(^|[\s"])[^\s"]*\bmanifests\/(?=\S+: no such file)/g, '$1<manifests>/')
    .replace(/127\.0\.0\.1:\d+|localhost:\d+/g, '<address>');
}

/** The first difference of two masked texts, with some text of both sides. */
function difference(expectedPart: string | undefined, actualPart: string | undefined): string {
  if (actualPart === undefined) return `missing: ${cut(expectedPart!)}`;
  if (expectedPart === undefined) return `not expected: ${cut(actualPart)}`;
  let at = 0;
  while (at < expectedPart.length && expectedPart[at] === actualPart[at]) at++;
  const from = Math.max(0, at - 40);
  return `…${cut(actualPart.slice(from))} instead of …${cut(expectedPart.slice(from))}`;
}

function cut(text: string): string {
  const line = text.replaceAll('\n', '\\n');
  return line.length > 140 ? `${line.slice(0, 140)}…` : line;
}
