/**
 * Replays the recordings of several steps. Each step counts as an answer.
 * The scenes: test calls, waiting executions, the control API from the first key to the last delete, and refused
 * publications.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, readWorkflow } from '#core/workflow-format';
import { webhookNode } from '../support/webhooks/webhook-server.ts';
import { workflowOf } from '../support/webhooks/workflow-builder.ts';
import { compare } from './compare/compare.ts';
import { covers } from './control-answers.ts';
import {
  type Answer,
  type Call,
  type FollowedEvents,
  joinHeaders,
  type State,
  type Transport,
} from './exchange.ts';
import { comparable } from './webhook-calls.ts';

export const SCENE_FILES = [
  ...[
    'test-dynamic-path',
    'test-pinned-webhook',
    'test-unauthorized',
    'test-while-active',
    'test-wrong-method',
  ],
  ...['wait-resume', 'public-api'],
  ...['path-conflict-activation', 'path-vars-same-template-other-webhookId', 'respond-jwt-nocred'],
];
const STATE: State = 'fresh';
/** Milliseconds for the work of a workflow after its answer. */
const LIMIT = 10_000;

interface Step {
  step: string;
  request: { method: string; url: string; headers?: Record<string, string>; body?: unknown };
  response: { status: number; headers: [string, string][]; body?: string };
}

interface Scene {
  name: string;
  workflow?: JsonObject;
  steps?: Step[];
  activation?: { status?: string; error?: { status: number; body: JsonObject } };
  push?: { messages: { message: PushMessage }[] };
}

interface PushMessage {
  type: string;
  data: JsonObject;
}

interface Rule {
  match: string;
  why: string;
}

export async function replayScenes(
  golden: string,
  transport: Transport,
  options: { only?: RegExp | undefined; notFollowed: Rule[] },
): Promise<{ total: number; reasons: string[] }> {
  const reasons: string[] = [];
  let total = 0;
  for (const file of SCENE_FILES) {
    const path = join(golden, 'n8n', `${file}.json`);
    if (!existsSync(path) || (options.only && !options.only.test(file))) continue;
    const scene = JSON.parse(readFileSync(path, 'utf8')) as Scene;
    for (const { name, difference } of await perform(scene, transport)) {
      total++;
      const why = options.notFollowed.find(({ match }) => new RegExp(match).test(name))?.why;
      if (difference) reasons.push(`${name}: ${why ? `not followed: ${why}` : difference}`);
    }
  }
  return { total, reasons };
}

interface Outcome {
  name: string;
  difference: string | undefined;
}

async function perform(scene: Scene, transport: Transport): Promise<Outcome[]> {
  const stage = await Stage.open(transport);
  try {
    if (scene.activation) return [await refusedPublish(scene, stage)];
    if (scene.name === 'public-api') return await followSteps(scene, stage);
    const outcomes = await listenAndCall(scene, stage);
    return outcomes;
  } catch (error) {
    return [{ name: scene.name, difference: `could not be replayed: ${(error as Error).message}` }];
  } finally {
    await stage.close();
  }
}

/** A server on which scenes are replayed. Everything that they create is deleted afterwards. */
class Stage {
  readonly #createdPaths: string[] = [];
  /** This server's ids and addresses, by those of the recorded server. */
  readonly #ownNames = new Map<string, string>();

  private constructor(
    readonly transport: Transport,
    private readonly key: string,
  ) {}

  static async open(transport: Transport): Promise<Stage> {
    const { id, apiKey } = await transport.manage(STATE, 'POST', '/keys', { label: 'replay' });
    const stage = new Stage(transport, String(apiKey));
    stage.#createdPaths.push(`/keys/${id}`);
    return stage;
  }

  async make(path: string, json: object): Promise<string> {
    const id = String((await this.manage('POST', path, json)).id);
    this.keep(`${path}/${id}`);
    return id;
  }

  keep(path: string): void {
    this.#createdPaths.unshift(path);
  }

  manage(method: string, path: string, json?: unknown): Promise<Record<string, unknown>> {
    return this.transport.manage(STATE, method, path, json);
  }

  send(call: Call): Promise<Answer> {
    return this.transport.send('n8n', STATE, call);
  }

  /** Calls as a program with a key of this server. */
  control(method: string, path: string, json?: unknown): Promise<Answer> {
    return this.send({
      method,
      path: `/api/v1${path}`,
      headers: { 'x-n8n-api-key': this.key, 'content-type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  }

  /** The recording waited until a run reached its wait before the next call. */
  async settled(runId: string): Promise<void> {
    for (const end = Date.now() + LIMIT; Date.now() < end; await sleep(20)) {
      if ((await this.manage('GET', `/executions/${runId}`)).status !== 'running') return;
    }
    throw new Error('a run did not end');
  }

  learn(recorded: string, own: string): void {
    if (recorded !== own) this.#ownNames.set(recorded, own);
  }

  translated(text: string): string {
    let result = text;
    for (const [recorded, own] of this.#ownNames) {
      result = result.replace(
        new RegExp(`(?<!\\w)${recorded.replace(/[^\w-]/g, '\\$&')}(?!\\w)`, 'g'),
        () => own,
      );
    }
    return result;
  }

  async close(): Promise<void> {
    for (const path of this.#createdPaths) await this.manage('DELETE', path).catch(() => undefined);
  }
}

/** Adds another workflow with the same address, if the recording has a clash. */
async function refusedPublish({ name, workflow, activation }: Scene, stage: Stage): Promise<Outcome> {
  const { nodes, connections, settings } = readWorkflow(workflow);
  if (name.startsWith('path-')) {
    const { path, httpMethod } = nodes[0]!.parameters;
    const other = workflowOf({ Webhook: webhookNode(String(path), { httpMethod }) }, []);
    const id = await stage.make('/workflows', plain(other, 'Other'));
    await stage.manage('POST', `/workflows/${id}/activate`);
  }
  const id = await stage.make('/workflows', { name, nodes, connections, settings });
  const answer = await stage.control('POST', `/workflows/${id}/activate`);
  const { error } = activation!;
  if (!error) return { name, difference: `status ${answer.status} instead of a failure later` };
  if (answer.status !== error.status) {
    return { name, difference: `status ${answer.status} instead of ${error.status}: ${answer.body}` };
  }
  return { name, difference: covers(error.body, JSON.parse(answer.body)) };
}

async function listenAndCall(scene: Scene, stage: Stage): Promise<Outcome[]> {
  const { name, workflow, steps = [], push } = scene;
  const read = readWorkflow(workflow);
  const { nodes, connections, settings, pinData } = read;
  const id = await stage.make('/workflows', { name, nodes, connections, settings, pinData });
  const isLive = steps.some(({ request }) => request.url.startsWith('/webhook/'));
  if (isLive) await stage.manage('POST', `/workflows/${id}/activate`);
  const events = push && (await stage.transport.follow?.(STATE, `/events?workflowId=${id}`));
  const outcomes: Outcome[] = [];
  try {
    for (const step of steps) {
      const difference = step.step === 'listen' ? await listen(step, id, stage) : await call(step, stage);
      outcomes.push({ name: `${name}: ${step.step}`, difference });
      if (step.step === 'start') await stage.settled(stage.translated(JSON.parse(step.response.body!).id));
    }
    if (events && push) {
      outcomes.push({
        name: `${name}: push`,
        difference: await compareMessages(
          push.messages.map(({ message }) => message),
          events,
        ),
      });
    }
  } finally {
    events?.close();
  }
  return outcomes;
}

/** The recorded server ran pinned data with the same request. tabd has a separate request for that. */
async function listen({ response }: Step, id: string, stage: Stage): Promise<string | undefined> {
  const { data } = JSON.parse(response.body!) as { data: { executionId?: string } };
  const answer = data.executionId
    ? await stage.control('POST', `/workflows/${id}/run`, { node: 'Webhook' })
    : await stage.control('POST', `/workflows/${id}/listen`, { node: 'Webhook' });
  return answer.status === 200 ? undefined : `status ${answer.status}: ${answer.body}`;
}

async function call({ request, response }: Step, stage: Stage): Promise<string | undefined> {
  const { host: _host, ...headers } = joinHeaders(Object.entries(request.headers ?? {}));
  const answer = await stage.send({
    method: request.method,
    path: stage.translated(request.url),
    headers,
    ...(request.body !== undefined && { body: textOf(request.body) }),
  });
  const recorded = recordedAnswer(response);
  learnFrom(recorded.body, answer.body, stage);
  // Headers that a page's browser adds are not compared.
  const options = {
    at: [Date.parse(recorded.headers.date ?? ''), Date.now()],
    fromPage: stage.transport.name === 'worker',
  };
  const expected = { ...recorded, body: stage.translated(recorded.body) };
  return compare(comparable(expected, options), comparable(answer, options));
}

async function followSteps({ name, steps = [] }: Scene, stage: Stage): Promise<Outcome[]> {
  // Lists are compared without their first entry, which was another live workflow.
  const other = plain(workflowOf({ Webhook: webhookNode('first') }, []), 'Another');
  const id = await stage.make('/workflows', other);
  await stage.manage('POST', `/workflows/${id}/activate`);
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    const { request, response } = step;
    const outcome = { name: `${name}: ${step.step}` };
    if (!request.url.startsWith('/api/v1')) {
      outcomes.push({ ...outcome, difference: await call(step, stage) });
      continue;
    }
    const path = stage.translated(request.url);
    const isKnown = !/key$/.test(step.step);
    const answer = isKnown
      ? await stage.control(request.method, path.slice('/api/v1'.length), request.body)
      : await stage.send({
          method: request.method,
          path,
          headers: joinHeaders(Object.entries(request.headers ?? {})),
        });
    learnFrom(response.body!, answer.body, stage);
    if (step.step === 'create') stage.keep(`/workflows/${JSON.parse(answer.body).id}`);
    if (step.step === 'create credential') stage.keep(`/credentials/${JSON.parse(answer.body).id}`);
    outcomes.push({ ...outcome, difference: controlDifference(step, answer) });
  }
  return outcomes;
}

function controlDifference({ step, response }: Step, { status, headers, body }: Answer): string | undefined {
  if (status !== response.status) return `status ${status} instead of ${response.status}: ${body}`;
  const type = joinHeaders(response.headers)['content-type'];
  if (headers['content-type'] !== type) return `content-type: ${headers['content-type']} instead of ${type}`;
  return covers(JSON.parse(response.body!), JSON.parse(body), { onlyShape: step === 'list' });
}

const recordedAnswer = ({ status, headers, body = '' }: Step['response']): Answer => ({
  status,
  headers: joinHeaders(headers),
  body,
});

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

/** Ids and addresses for later steps, by the names of their fields. */
function learnFrom(recorded: string, own: string, stage: Stage): void {
  const [recordedId, ownId] = [recorded, own].map((text) => {
    try {
      return JSON.parse(text) as JsonObject;
    } catch {
      return {};
    }
  }) as [JsonObject, JsonObject];
  const pairs: [unknown, unknown][] = [
    [recordedId, ownId],
    [firstOf(recordedId.data), firstOf(ownId.data)],
  ];
  for (const [a, b] of pairs as [JsonObject | undefined, JsonObject | undefined][]) {
    if (typeof a?.id === 'string' && typeof b?.id === 'string') stage.learn(a.id, b.id);
    if (typeof a?.resume === 'string' && typeof b?.resume === 'string') {
      const [from, to] = [a.resume, b.resume].map((address) => new URL(address).search) as [string, string];
      stage.learn(from.slice('?signature='.length), to.slice('?signature='.length));
    }
  }
}

const firstOf = (value: unknown) => (Array.isArray(value) ? value[0] : undefined);

function plain({ nodes, connections, settings }: ReturnType<typeof workflowOf>, name: string): object {
  return { name, nodes, connections, settings };
}

/** The messages about the run. In tabd a node's output arrives with the message that the node has run. */
async function compareMessages(recorded: PushMessage[], events: FollowedEvents): Promise<string | undefined> {
  const expected = recorded.filter(({ type }) => type !== 'nodeExecuteAfter');
  const isOfRun = (message: PushMessage) => expected.some(({ type }) => sameType(type) === message.type);
  const own = () =>
    (events.received as PushMessage[]).filter(
      (pushed) => isOfRun(pushed) && isOfFirst(pushed, events.received as PushMessage[]),
    );
  if (expected.length > 0) await events.until(() => own().length >= expected.length, LIMIT);
  const message = own();
  for (const [index, { type, data }] of expected.entries()) {
    const found = message[index];
    if (found?.type !== sameType(type))
      return `message ${index + 1}: ${found?.type ?? 'none'} instead of ${type}`;
    const { execution } = found.data as { execution?: JsonObject };
    const difference = covers(data, { ...execution, ...found.data });
    if (difference) return `message ${index + 1} (${type}): ${difference}`;
  }
  return message.length > expected.length
    ? `message ${expected.length + 1}: ${message[expected.length]!.type} too much`
    : undefined;
}

const sameType = (type: string) => (type === 'nodeExecuteAfterData' ? 'nodeExecuteAfter' : type);

/** Messages about a published workflow's runs. */
function isOfFirst({ data }: PushMessage, all: PushMessage[]): boolean {
  const first = all.find((pushed) => pushed.data.executionId !== undefined);
  return data.executionId === undefined || data.executionId === first?.data.executionId;
}
