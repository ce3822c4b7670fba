/**
 * Replays the recording of single nodes: `npx tsx test/contract/replay-nodes.ts FILE [part of a label]`. Each case runs
 * in process, over the same items, with a small server of answers in memory. Items, files, errors and requests are
 * compared.
 */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '#core/base';
import { type Item, type JsonObject, readWorkflow, type TaskData } from '#core/workflow-format';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import { answerOf } from './node-answers.ts';
import reasons from './node-reasons.json' with { type: 'json' };

const HOST = 'http://nodes.test';

interface RecordedRun {
  status: string;
  output?: Item[][];
  error?: { message: string };
}
interface RecordedCase {
  label: string;
  secondInput?: JsonObject[];
  nodes: JsonObject[];
  runs: RecordedRun[];
  requests?: { method: string; url: string; headers: Record<string, string>; body: unknown }[];
}

const [file = '', only = ''] = process.argv.slice(2);
const recording = JSON.parse(readFileSync(file, 'utf8')) as {
  input: { items: Item[] };
  cases: RecordedCase[];
};

let equal = 0;
let explained = 0;
const cases = recording.cases.filter(({ label }) => label.includes(only));
for (const recorded of cases) {
  const difference = await replay(recorded).catch((error) => errorMessage(error));
  const reason = (reasons as Record<string, string>)[recorded.label];
  if (difference === undefined) equal++;
  else if (reason !== undefined) explained++;
  if (difference !== undefined) console.log(`${recorded.label}: ${reason ?? `DIFFERENT\n${difference}`}`);
}
console.log(`${equal} of ${cases.length} cases are equal, ${explained} differ for a known reason`);
process.exit(equal + explained === cases.length ? 0 : 1);

async function replay({ secondInput, nodes, runs, requests = [] }: RecordedCase) {
  const { engine, host } = await openEngine({
    fetch: answerOf,
    settings: { GENERIC_TIMEZONE: 'UTC' },
  });
  try {
    const workflow = workflowOf(nodes, secondInput);
    const items = recording.input.items.map((item, index) => ({ ...item, pairedItem: { item: index } }));
    const handle = await engine.executions.start({
      workflow,
      mode: 'webhook',
      node: 'Input',
      output: [items],
    });
    const { state } = await handle.done;
    const actual = nodes.map((_, index) => runOf(state.runData[`Node ${index}`]?.[0]));
    const sent = await Promise.all(host.requested.map(requestOf));
    const expected = JSON.parse(JSON.stringify(runs), (_key, value) =>
      typeof value === 'string' ? value.replaceAll('http://<address>', HOST) : value,
    ).map((run: RecordedRun) => steady(run)) as unknown[];
    const expectedRequests = requests.map(({ headers, ...rest }) => ({
      ...rest,
      headers: { accept: headers.accept, 'content-type': headers['content-type'] },
    }));
    return (
      compare('runs', actual, expected) ??
      compare('requests', JSON.parse(JSON.stringify(sent)), JSON.parse(JSON.stringify(expectedRequests)))
    );
  } finally {
    await engine.close();
  }
}

function compare(label: string, actual: unknown, expected: unknown): string | undefined {
  if (isDeepStrictEqual(actual, expected)) return undefined;
  // The items of the input are long: they are shown as their numbers.
  const show = (value: unknown) =>
    recording.input.items
      .reduce(
        (text, { json }, index) => text.replaceAll(JSON.stringify(json).slice(1, -1), `item ${index}`),
        JSON.stringify(value) ?? '',
      )
      .slice(0, 1500);
  return `  ${label}\n    expected ${show(expected)}\n    actual   ${show(actual)}`;
}

async function requestOf(request: Request) {
  const { pathname, search } = new URL(request.url);
  const text = await request.clone().text();
  const type = request.headers.get('content-type') ?? undefined;
  return {
    method: request.method,
    url: pathname + search,
    body: type === 'application/json' && text !== '' ? JSON.parse(text) : text,
    headers: { accept: request.headers.get('accept'), 'content-type': type },
  };
}

function workflowOf(nodes: JsonObject[], secondInput: JsonObject[] | undefined) {
  const second = `return ${JSON.stringify(secondInput ?? [])}.map((json) => ({ json }));`;
  const all = [
    { name: 'Input', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1 },
    ...(secondInput
      ? [{ name: 'Second', type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode: second } }]
      : []),
    ...nodes.map((node, index) => ({
      name: `Node ${index}`,
      ...(JSON.parse(JSON.stringify(node).replaceAll('http://<address>', HOST)) as object),
    })),
  ];
  const edge = (node: string, index = 0) => ({ node, type: 'main', index });
  const connections: Record<string, unknown> = {
    Input: { main: [[edge('Node 0'), ...(secondInput ? [edge('Second')] : [])]] },
    ...(secondInput && { Second: { main: [[edge('Node 0', 1)]] } }),
  };
  for (let index = 1; index < nodes.length; index++) {
    connections[`Node ${index - 1}`] = { main: [[edge(`Node ${index}`)]] };
  }
  return readWorkflow({
    id: 'case',
    name: 'case',
    active: true,
    settings: { executionOrder: 'v1', timezone: 'UTC' },
    nodes: all.map((node, index) => ({ ...node, position: [index * 100, 0] })),
    connections,
  });
}

function runOf(task: TaskData | undefined): unknown {
  if (!task) return { status: 'not run' };
  return steady({
    status: task.executionStatus,
    ...(task.data && { output: (task.data.main ?? []).map((items) => items ?? []) }),
    ...(task.error && { error: task.error }),
  } as RecordedRun);
}

/** The part that a recording and a run have in common: no ids, dates and addresses. */
function steady({ status, output, error }: RecordedRun): unknown {
  if (error) return { status, error: error.message };
  return JSON.parse(JSON.stringify({ status, output }), (key, value) => {
    if (key === 'id' && String(value).startsWith('filesystem')) return undefined;
    if (key === 'directory') return undefined;
    if (key === 'binary' && Object.keys(value).length === 0) return undefined;
    if (key === 'headers') return { 'content-type': value['content-type'] };
    // Files are stored in memory here: their content stands where the recording has the name of its store.
    if (value?.data !== undefined && value.mimeType !== undefined) return { ...value, data: undefined };
    return value;
  });
}
