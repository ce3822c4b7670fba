/**
 * Replays recordings of forms: `npx tsx test/contract/replay-forms.ts FILE…`. Each runs over a server in memory.
 * Statuses, headers that clients read, elements of pages, and executions are compared.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#core/base';
import { type JsonObject, readWorkflow } from '#core/workflow-format';
import { openWebhookServer, type TestWebhooks } from '#test/support/webhooks/webhook-server.ts';

interface Exchange {
  request: { method: string; url: string; headers: Record<string, string>; body?: unknown };
  response: { status: number; headers: Record<string, string>; page?: JsonObject; body?: unknown };
}
interface FormRecording extends Partial<Exchange> {
  workflow: JsonObject;
  steps?: Exchange[];
  execution?: JsonObject;
  executions?: JsonObject[];
}

const HEADERS = [
  'content-type',
  'content-security-policy',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
];

let equal = 0;
const files = process.argv.slice(2);
for (const file of files) {
  const differences = await replay(JSON.parse(readFileSync(file, 'utf8')) as FormRecording);
  if (differences.length === 0) equal++;
  console.log(`${basename(file, '.json')}: ${differences.length === 0 ? 'equal' : differences.join('\n  ')}`);
}
console.log(`${equal} of ${files.length} recordings are equal`);
process.exit(equal === files.length ? 0 : 1);

async function replay(recording: FormRecording): Promise<string[]> {
  const server = await openWebhookServer({ settings: { GENERIC_TIMEZONE: 'UTC' } });
  const differences: string[] = [];
  const compare = (label: string, actual: unknown, expected: unknown) => {
    if (isDeepStrictEqual(actual, expected)) return;
    const show = (value: unknown) => JSON.stringify(value)?.slice(0, 900);
    differences.push(`\n  ${label}\n    expected ${show(expected)}\n    actual   ${show(actual)}`);
  };
  try {
    await server.publish(readWorkflow({ id: 'form', active: false, ...recording.workflow }));
    const steps = recording.steps ?? [{ request: recording.request!, response: recording.response! }];
    let waiting = '';
    for (const [index, { request, response }] of steps.entries()) {
      const path = request.url.startsWith('/form-waiting/') ? waiting : request.url;
      const actual = await exchange(server, path, request);
      if (isObject(actual.body) && typeof actual.body.formWaitingUrl === 'string') {
        const { pathname, search } = new URL(actual.body.formWaitingUrl);
        waiting = pathname + search;
        actual.body = { formWaitingUrl: '' };
      }
      compare(`step ${index}`, actual, expectedExchange(response));
    }
    const expected = recording.executions ?? (recording.execution ? [recording.execution] : []);
    compare('executions', await executionsOf(server), expected.map(steadyExecution));
    return differences;
  } finally {
    await server.close();
  }
}

async function exchange(server: TestWebhooks, path: string, { method, headers, body }: Exchange['request']) {
  const isText = typeof body === 'string';
  const response = await server.call(method, path, {
    headers: { ...headers, ...(body !== undefined && !isText && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isPage = (response.headers.get('content-type') ?? '').startsWith('text/html');
  const actual: { status: number; headers: object; page?: unknown; body?: unknown } = {
    status: response.status,
    headers: pick((name) => response.headers.get(name) ?? undefined, response.status),
  };
  if (isPage) actual.page = pageOf(text);
  else actual.body = parsed(text);
  return actual;
}

function expectedExchange({ status, headers, page, body }: Exchange['response']) {
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const isPage = page !== undefined && page.length !== 0;
  const { length: _length, ...elements } = page ?? {};
  const isWaiting = isObject(body) && 'formWaitingUrl' in body;
  return {
    status,
    headers: pick((name) => lower[name], status),
    ...(isPage
      ? { page: elements }
      : { body: isWaiting ? { formWaitingUrl: '' } : page ? '' : steadyBody(body) }),
  };
}

/** Pages of any origin may read errors here, so their headers for other origins are not compared. */
function pick(read: (name: string) => string | undefined, status: number) {
  const names = HEADERS.filter((name) => status < 400 || !name.startsWith('access-control'));
  return Object.fromEntries(names.flatMap((name) => (read(name) === undefined ? [] : [[name, read(name)]])));
}

function steadyBody(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { stacktrace: _stack, ...rest } = body;
  return rest;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The elements of a page, as the recordings list them. */
function pageOf(html: string): JsonObject {
  const attribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
  const fields = [...html.matchAll(/<(input|select|textarea)\b[^>]*>/g)].flatMap(([tag, element]) => {
    const name = attribute(tag, 'id');
    if (!/^field-\d+$/.test(name)) return [];
    const required = /\brequired\b/.test(tag) ? ' required' : '';
    return [`${element} ${name} ${attribute(tag, 'type')}${required}`];
  });
  const inside = (element: string) =>
    new RegExp(`<${element}\\b[^>]*>([\\s\\S]*?)</${element}>`).exec(html)?.[1]?.trim() ?? null;
  return { title: inside('title'), fields, heading: inside('h1'), button: inside('button') };
}

async function executionsOf(server: TestWebhooks): Promise<unknown[]> {
  const listed = (await server.engine.executions.list()).reverse();
  return Promise.all(
    listed.map(async ({ id }) => {
      const { summary, detail } = (await server.engine.executions.get(id))!;
      const { runData, lastNodeExecuted } = detail!.data.resultData;
      return steadyExecution({
        status: summary.status,
        lastNodeExecuted,
        mode: summary.mode,
        nodes: Object.fromEntries(
          Object.entries(runData).map(([name, runs]) => [
            name,
            runs.map(({ executionStatus, data }) => ({ status: executionStatus, output: data })),
          ]),
        ),
      });
    }),
  );
}

/** The part that a recording and a run have in common: no ids and times. */
function steadyExecution(execution: JsonObject): unknown {
  const { status, lastNodeExecuted, mode, nodes } = execution as Record<string, never>;
  return JSON.parse(JSON.stringify({ status, lastNodeExecuted, mode, nodes }), (key, value) => {
    if (/^(executionIndex|source|metadata|id)$/.test(key)) return undefined;
    if (key === 'submittedAt') return 'time';
    if (value?.data !== undefined && value.mimeType !== undefined) return { ...value, data: undefined };
    return value;
  });
}
