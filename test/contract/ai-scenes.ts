/**
 * Replays recordings of workflows with AI nodes (`n8n-ai`) over a scripted server of models. Compares the answers of the
 * webhooks, the requests to the models, and the output of each node.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '#core/workflow-format';
import type { ModelRequest, ScriptedAnswer } from '../support/webhooks/scripted-models.ts';
import {
  answerDifference,
  executionDifference,
  type RecordedExecution,
  requestDifference,
} from './ai-differences.ts';
import { AiServer } from './ai-server.ts';
import type { Answer, State, Transport } from './exchange.ts';

interface RecordedCall {
  request: { method: string; url: string; headers: Record<string, string>; body?: unknown };
  response: {
    status: number;
    headers: Record<string, string>;
    body?: unknown;
    page?: { title: string | null };
  };
}

interface AiScene extends Partial<RecordedCall> {
  name: string;
  workflow: JsonObject;
  activationError?: { status: number; message: string };
  steps?: RecordedCall[];
  modelRequests?: ModelRequest[];
  modelAnswers?: ScriptedAnswer[] | null;
  execution?: RecordedExecution;
  executions?: RecordedExecution[];
}

interface Rule {
  match: string;
  why: string;
}

const STATE: State = 'scripted';
/** Milliseconds. */
const LIMIT = 20_000;

/** The number of recordings, and a line for each that differs. */
export async function replayAi(
  golden: string,
  transport: Transport,
  options: { only?: RegExp | undefined; notFollowed: Rule[] },
): Promise<{ total: number; reasons: string[] }> {
  const folder = join(golden, 'n8n-ai');
  const scenes = readdirSync(folder)
    .filter((file) => file.endsWith('.json') && !/^(node|form)-|^nodes-old/.test(file))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as AiScene);
  const vectors = recordedVectors(scenes);
  const ai = await AiServer.open();
  const reasons: string[] = [];
  let total = 0;
  try {
    for (const scene of scenes) {
      // Scenes with numbers share what earlier ones stored.
      if (options.only && !options.only.test(scene.name)) continue;
      total++;
      const rule = options.notFollowed.find(({ match }) => new RegExp(match).test(scene.name));
      const reason = rule
        ? `not followed: ${rule.why}`
        : await replayScene(scene, { ai, transport, vectors });
      if (reason) reasons.push(`${scene.name}: ${reason}`);
    }
  } finally {
    ai.close();
  }
  return { total, reasons };
}

interface Stage {
  ai: AiServer;
  transport: Transport;
  vectors: Map<string, number[]>;
}

async function replayScene(scene: AiScene, { ai, transport, vectors }: Stage): Promise<string | undefined> {
  const recordedRequests = scene.modelRequests ?? [];
  const questions = recordedRequests.filter(({ aux, url }) => !aux && !/embed/.test(url));
  ai.script({
    answers: scene.modelAnswers ?? [],
    // Items of a batch ask at the same time: the answer is that of the same question.
    choose: (request, used) => {
      const same = (index: number) =>
        !used.has(index) && steadyIds(questions[index]!.body) === steadyIds(request.body);
      const index = questions.findIndex((_, place) => same(place));
      return index < 0 ? undefined : index;
    },
    vector: (text) => vectors.get(text) ?? [0.01, 0, 0, 0, 0, 0, 0, 0],
  });
  const created: string[] = [];
  const manage = (method: string, path: string, json?: unknown) =>
    transport.manage(STATE, method, path, json);
  const create = async (path: string, json: unknown) => {
    const { id } = await manage('POST', path, json);
    created.unshift(`${path}/${id}`);
    return String(id);
  };
  try {
    const workflow = JSON.parse(
      JSON.stringify(scene.workflow).replaceAll('<address>', ai.address),
    ) as JsonObject;
    await createCredentials(workflow, ai.address, create);
    const { name, nodes, connections, settings } = workflow;
    const id = await create('/workflows', { name, nodes, connections, settings });
    const refused = await manage('POST', `/workflows/${id}/activate`).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (scene.activationError) {
      const expected = JSON.stringify(scene.activationError.message).slice(1, -1);
      if (!refused?.includes(expected)) return `publishing: ${refused ?? 'accepted'} instead of ${expected}`;
    } else if (refused !== undefined) return `publishing: ${refused}`;
    const calls = scene.steps ?? [{ request: scene.request!, response: scene.response! }];
    const session: { id?: string } = {};
    for (const [index, call] of calls.entries()) {
      const answer = await send(transport, call, session);
      const difference = call.response.status !== 0 && answerDifference(call.response, answer, ai.address);
      if (difference) return calls.length > 1 ? `call ${index + 1}: ${difference}` : difference;
    }
    const executions = await finished(id, manage);
    return (
      requestDifference(recordedRequests, ai.requests, calls.at(-1)!.response.status === 0) ??
      executionDifference(
        scene.executions ?? (scene.execution ? [scene.execution] : []),
        executions,
        ai.address,
      )
    );
  } catch (error) {
    return `could not be replayed: ${(error as Error).message}`;
  } finally {
    for (const path of created) await manage('DELETE', path).catch(() => undefined);
  }
}

async function createCredentials(
  workflow: JsonObject,
  address: string,
  create: (path: string, json: unknown) => Promise<string>,
): Promise<void> {
  const data: Record<string, JsonObject> = {
    openAiApi: { apiKey: 'key', url: `http://${address}/v1` },
    ollamaApi: { baseUrl: `http://${address}` },
    httpBasicAuth: { user: 'alice', password: 's3cret' },
  };
  for (const node of workflow.nodes as { credentials?: Record<string, { id: string; name: string }> }[]) {
    for (const [type, reference] of Object.entries(node.credentials ?? {})) {
      if (data[type])
        reference.id = await create('/credentials', { name: reference.name, type, data: data[type] });
    }
  }
}

async function send(
  transport: Transport,
  { request }: RecordedCall,
  session: { id?: string },
): Promise<Answer> {
  const { method, url, body } = request;
  const headers: Record<string, string> = {
    ...(body !== undefined && typeof body !== 'string' && { 'content-type': 'application/json' }),
    ...request.headers,
  };
  for (const [name, value] of Object.entries(headers))
    headers[name] = value.replace('<session>', session.id ?? '');
  const answer = await transport.send('n8n', STATE, {
    method,
    path: url,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(LIMIT),
  });
  session.id = answer.headers['mcp-session-id'] ?? session.id ?? '';
  return answer;
}

/** The executions of the workflow, oldest first, when all have ended. */
async function finished(
  id: string,
  manage: (method: string, path: string) => Promise<JsonObject>,
): Promise<JsonObject[]> {
  for (let tries = 0; ; tries++) {
    const { data } = (await manage('GET', `/executions?workflowId=${id}&includeData=true`)) as {
      data: JsonObject[];
    };
    const isOver = data.every(({ status }) => status !== 'running' && status !== 'new');
    if (isOver || tries > 100) return data.reverse();
    await sleep(50);
  }
}

/** The vectors of the recorded server, by their texts. */
function recordedVectors(scenes: AiScene[]): Map<string, number[]> {
  const vectors = new Map<string, number[]>();
  for (const { execution, executions } of scenes) {
    for (const { nodes = {} } of executions ?? (execution ? [execution] : [])) {
      for (const run of Object.values(nodes).flat()) {
        const [[input] = []] = (run.inputOverride?.ai_embedding ?? []) as { json: JsonObject }[][];
        const [[output] = []] = (run.output?.ai_embedding ?? []) as { json: JsonObject }[][];
        if (!input || !output) continue;
        const texts = (input.json.documents ?? [input.json.query]) as string[];
        const found = (input.json.documents ? output.json.response : [output.json.response]) as number[][];
        for (const [index, text] of texts.entries()) if (found[index]) vectors.set(text, found[index]);
      }
    }
  }
  return vectors;
}

function steadyIds(body: unknown): string {
  return JSON.stringify(body).replace(/call_\d+/g, 'call');
}
