/**
 * Whether an answer equals a recorded one in everything a client can rely on: status, headers that matter, fields and
 * their order, fixed values, error texts, how a stream is framed. Generated words, ids, times, sizes and paths vary.
 */
import type { Answer } from '../exchange.ts';

const HEADERS = ['content-type', 'allow', 'location', 'vary'];

/** Fields whose value varies from run to run or machine to machine; their type has to agree. */
const VARYING = new Set([
  ...['created_at', 'modified_at', 'expires_at', 'created', 'completed_at'],
  ...['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration', 'eval_count'],
  ...['digest', 'size', 'size_vram', 'total', 'completed', 'id', 'request_id', 'tool_call_id', 'call_id'],
  ...['content', 'response', 'thinking', 'reasoning', 'text', 'delta', 'arguments', 'input', 'name_hash'],
  ...['token', 'logprob', 'bytes', 'context', 'embedding', 'embeddings', 'completion_tokens'],
  ...['output_tokens', 'total_tokens', 'item_id', 'ram_total', 'ram_free', 'vram_total', 'vram_free'],
  ...['torch_vram_total', 'torch_vram_free', 'comfyui_version', 'python_version', 'argv'],
]);

/** What differs, most telling first; undefined when the answers are equal. */
export function compare(expected: Answer, actual: Answer): string | undefined {
  if (actual.status !== expected.status) {
    return `status ${actual.status} instead of ${expected.status}${actual.body ? `: ${cut(actual.body)}` : ''}`;
  }
  for (const name of HEADERS) {
    const [wanted, given] = [header(expected, name), header(actual, name)];
    if (wanted !== given) return `${name}: ${given ?? 'none'} instead of ${wanted ?? 'none'}`;
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
  // Proxies and compression add themselves to Vary; what matters is named by the API.
  return name === 'vary' ? value?.replace(/,? ?accept-encoding/i, '') || undefined : value;
}

function compareBodies(expected: Answer, actual: Answer): string | undefined {
  const [wanted, given] = [outline(expected), outline(actual)];
  if (wanted.framing !== given.framing) return `framed as ${given.framing} instead of ${wanted.framing}`;
  const length = Math.max(wanted.items.length, given.items.length);
  for (let index = 0; index < length; index++) {
    if (wanted.items[index] === given.items[index]) continue;
    const place = wanted.items.length > 1 || given.items.length > 1 ? `part ${index + 1}: ` : '';
    return `${place}${difference(wanted.items[index], given.items[index])}`;
  }
  return undefined;
}

interface Outline {
  framing: string;
  /** One a line or event, generated values masked; neighbours of the same form count once. */
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
  // A description of what a tool takes is data, not text that was generated.
  if (VARYING.has(key) && (typeof value !== 'object' || Array.isArray(value))) return kind(value);
  if (typeof value === 'string') return steady(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => mask(item, ''));
    if (key === 'logprobs') return merge(items.map((item) => JSON.stringify(item)));
    // In the order of the file, which a rewritten file does not keep.
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

/** Takes out of a text what varies: digests, paths of a model store, ports of loopback addresses. */
function steady(text: string): string {
  return text
    .replace(/sha256[:-][0-9a-f]{64}/g, '<digest>')
    .replace(/pulling [0-9a-f]{12}/g, 'pulling <layer>')
    .replace(/(^|[\s"])[^\s"]*\/<digest>/g, '$1<blob>')
    .replace(/(^|[\s"])[^\s"]*\bmanifests\/(?=\S+: no such file)/g, '$1<manifests>/')
    .replace(/127\.0\.0\.1:\d+|localhost:\d+/g, '<address>');
}

/** The first place where two masked texts part, with a little of both sides. */
function difference(wanted: string | undefined, given: string | undefined): string {
  if (given === undefined) return `missing: ${cut(wanted!)}`;
  if (wanted === undefined) return `not expected: ${cut(given)}`;
  let at = 0;
  while (at < wanted.length && wanted[at] === given[at]) at++;
  const from = Math.max(0, at - 40);
  return `…${cut(given.slice(from))} instead of …${cut(wanted.slice(from))}`;
}

function cut(text: string): string {
  const line = text.replaceAll('\n', '\\n');
  return line.length > 140 ? `${line.slice(0, 140)}…` : line;
}
