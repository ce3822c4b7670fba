/** Compares recordings of AI workflows with answers, requests and executions of tabd. */
import type { JsonObject } from '#core/workflow-format';
import type { ModelRequest } from '../support/webhooks/scripted-models.ts';
import type { Answer } from './exchange.ts';

export interface RecordedRun {
  executionIndex: number;
  status: string;
  source?: unknown;
  error?: JsonObject;
  output?: Record<string, unknown>;
  inputOverride?: Record<string, unknown>;
  metadata?: JsonObject;
}

export interface RecordedExecution {
  status: string;
  lastNodeExecuted?: string;
  error?: JsonObject;
  nodes?: Record<string, RecordedRun[]>;
}

interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  body?: unknown;
  page?: { title: string | null };
}

export function answerDifference(
  recorded: RecordedResponse,
  answer: Answer,
  address: string,
): string | undefined {
  if (answer.status !== recorded.status) {
    return `status ${answer.status} instead of ${recorded.status}: ${answer.body.slice(0, 300)}`;
  }
  const type = headerOf(recorded.headers, 'content-type');
  if (type !== undefined && answer.headers['content-type']?.toLowerCase() !== type.toLowerCase()) {
    return `content-type ${answer.headers['content-type']} instead of ${type}`;
  }
  if (recorded.page) {
    const title = /<title>([^<]*)<\/title>/.exec(answer.body)?.[1] ?? null;
    return title === recorded.page.title ? undefined : `title ${title} instead of ${recorded.page.title}`;
  }
  const text = typeof recorded.body === 'string' ? answer.body : parsed(answer.body);
  return difference('answer', recorded.body ?? '', text === '' ? '' : text, address);
}

export function requestDifference(
  recorded: ModelRequest[],
  requests: ModelRequest[],
  wasCut: boolean,
): string | undefined {
  const own = wasCut ? requests.slice(0, recorded.length) : requests;
  if (own.length !== recorded.length) {
    const rest = own
      .slice(recorded.length)
      .map(({ url, body }) => `${url} ${JSON.stringify(body)}`.slice(0, 600));
    return `${own.length} requests instead of ${recorded.length} ${rest.join('; ')}`;
  }
  const [outlined, got] = [recorded, own].map((list) =>
    withSteadyIds(JSON.stringify(list.map(({ method, url, body }) => sorted({ method, url, body })))),
  );
  if (outlined === got) return undefined;
  // Items of a batch ask at the same time: their order is free.
  const [a, b] = [recorded, own].map((list) =>
    list.map(({ url, body }) => JSON.stringify(sorted({ url, body })).replace(/call_\d+/g, 'call')).sort(),
  ) as [string[], string[]];
  const index = a.findIndex((text, place) => text !== b[place]);
  return index < 0 ? undefined : `request ${index + 1}: ${around(a[index]!, b[index]!)}`;
}

export function executionDifference(
  recorded: RecordedExecution[],
  executions: JsonObject[],
  address: string,
): string | undefined {
  if (recorded.length !== executions.length)
    return `${executions.length} executions instead of ${recorded.length}`;
  for (const [index, expected] of recorded.entries()) {
    if (expected.status === 'running') continue;
    const own = executions[index]!;
    const where = recorded.length > 1 ? `execution ${index + 1}: ` : '';
    const found = oneDifference(expected, own, address);
    if (found) return where + found;
  }
  return undefined;
}

function oneDifference(expected: RecordedExecution, own: JsonObject, address: string): string | undefined {
  const result = (own.data as { resultData: JsonObject }).resultData;
  const head = difference(
    'execution',
    { status: expected.status, last: expected.lastNodeExecuted, error: errorOutline(expected.error) },
    { status: own.status, last: result.lastNodeExecuted, error: errorOutline(result.error as JsonObject) },
    address,
  );
  if (head) return head;
  const runData = result.runData as Record<string, JsonObject[]>;
  const names = Object.keys(expected.nodes ?? {});
  const extra = Object.keys(runData).filter((name) => !names.includes(name));
  if (extra.length > 0) return `${extra.join(', ')} ran too`;
  for (const name of names) {
    const found = runsDifference(name, expected.nodes![name]!, runData[name] ?? [], address);
    if (found) return found;
  }
  return undefined;
}

function runsDifference(
  name: string,
  recorded: RecordedRun[],
  runs: JsonObject[],
  address: string,
): string | undefined {
  if (recorded.length !== runs.length) return `${name}: ${runs.length} runs instead of ${recorded.length}`;
  const outline = ({ status, source, error, output, inputOverride, metadata }: RecordedRun) => ({
    status,
    source: source ?? [],
    error: errorOutline(error),
    output,
    input: withoutPairing(inputOverride),
    metadata: keptMetadata(metadata),
  });
  const outlined = recorded.map(outline);
  const got = runs.map((run) =>
    outline({
      ...(run as unknown as RecordedRun),
      status: String(run.executionStatus),
      output: run.data as JsonObject,
    }),
  );
  const found = difference(name, outlined, got, address);
  if (!found) return difference(`${name} order`, recorded.map(at).sort(), runs.map(at).sort(), address);
  const free = (list: object[]) => list.map((run) => JSON.stringify(sorted({ ...run, metadata: 0 }))).sort();
  return difference(name, free(outlined.map(withoutNoise)), free(got.map(withoutNoise)), address) && found;
}

/** n8n pairs the input of every tool with the first item. Here it is the item that the agent works on. */
function withoutPairing(input: unknown): unknown {
  return (
    input && JSON.parse(JSON.stringify(input, (key, value) => (key === 'pairedItem' ? undefined : value)))
  );
}

const at = (run: { executionIndex?: unknown }) => run.executionIndex;
const withoutNoise = (run: object) => JSON.parse(JSON.stringify(run, steady)) as object;

/** Names differ between kinds of errors of the same message: they are not compared. */
function errorOutline(error: JsonObject | undefined): object | undefined {
  if (!error) return undefined;
  const { message, description } = error;
  return { message, ...(typeof description === 'string' && { description }) };
}

function keptMetadata(metadata: JsonObject = {}): JsonObject | undefined {
  const { tracing: _tracing, subNodeExecutionData: _data, ...rest } = metadata;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

function difference(what: string, recorded: unknown, own: unknown, address: string): string | undefined {
  const [a, b] = [recorded, own].map((value) =>
    withSteadyIds(JSON.stringify(sorted(JSON.parse(JSON.stringify(value ?? null, steady)))))
      .replaceAll(address, '<address>')
      .replace(/\\"timestamp\\":\d+/g, ''),
  ) as [string, string];
  return a === b ? undefined : `${what}: ${around(a, b)}`;
}

/** Leaves out what depends on the machine, and numbers of tokens, which are estimates. */
function steady(key: string, value: unknown): unknown {
  if (key === 'estimatedTokens' || key === 'tokenUsageEstimate') return undefined;
  if (key === 'headers' || key === 'webhookUrl') return undefined;
  if (key === 'options' && typeof value === 'object' && value !== null) return undefined;
  if (key === 'id' && typeof value === 'string' && /^filesystem|^[0-9a-f-]{20,}$/.test(value))
    return undefined;
  if (key === 'data' && typeof value === 'string') return undefined;
  return value;
}

/** Numbers the ids of tool calls by their first appearance. */
function withSteadyIds(text: string): string {
  const ids = new Map<string, string>();
  return text.replace(/call_\d+/g, (id) => {
    if (!ids.has(id)) ids.set(id, `call#${ids.size + 1}`);
    return ids.get(id)!;
  });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** The first place where two texts differ. */
function around(recorded: string, own: string): string {
  let at = 0;
  while (at < recorded.length && recorded[at] === own[at]) at++;
  const from = Math.max(0, at - 60);
  return `…${own.slice(from, at + 200)}… instead of …${recorded.slice(from, at + 200)}…`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function headerOf(headers: Record<string, string>, name: string): string | undefined {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
