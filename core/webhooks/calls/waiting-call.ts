/** `/webhook-waiting/ID[/suffix]?signature=…`: a call that goes on with a run which waits for one. */
import { ApiError, jsonResponse, withHeaders } from '#core/http';
import type { WaitUntil, Workflow, WorkflowNode } from '#core/workflow-format';
import { problem } from '../errors.ts';
import type { WebhookServices } from '../services.ts';
import { receiveCall } from './receive-call.ts';
import { answerCall } from './response/respond.ts';
import type { WebhookCall } from './webhook-call.ts';
import { settingsOf } from './webhook-options.ts';

const METHODS = 'POST, GET, OPTIONS';
/** Whoever has the address may use it, from any page. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': 'Content-Type',
};

interface Waiting {
  workflow: Workflow;
  node: WorkflowNode;
  suffix: string;
  test: boolean;
}

/** `path`: behind the prefix. */
export async function answerWaiting(
  request: Request,
  path: string,
  clientAddress: string,
  webhooks: WebhookServices,
): Promise<Response> {
  if (request.method === 'OPTIONS') return preflight(request);
  const slash = path.indexOf('/');
  const id = slash < 0 ? path : path.slice(0, slash);
  const suffix = slash < 0 ? '' : path.slice(slash + 1);
  try {
    return withHeaders(await resume(request, id, suffix, clientAddress, webhooks), CORS);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return withHeaders(problem(error.status, error.message), CORS);
  }
}

async function resume(
  request: Request,
  id: string,
  suffix: string,
  clientAddress: string,
  webhooks: WebhookServices,
): Promise<Response> {
  const { engine } = webhooks;
  const url = new URL(request.url);
  const found = await engine.executions.waiting(id);
  if (!engine.signatures.isOf(`/webhook-waiting/${id}`, url.searchParams.get('signature') ?? '')) {
    return jsonResponse({ error: 'Invalid token' }, 401);
  }
  const waiting = waitingNode(found.summary.test, found.detail.workflowData, found.wait);
  const method = waiting && String(settingsOf(waiting.node, engine.services).get('httpMethod') ?? 'GET');
  if (!waiting || waiting.suffix !== suffix || method !== request.method) {
    throw new ApiError(
      404,
      `The workflow for execution "${id}" does not contain a waiting webhook with a matching path/method.`,
    );
  }
  const { publicAddress, endpoints } = engine.settings;
  const call: WebhookCall = {
    request,
    search: withoutSignature(url.search),
    executionId: id,
    workflow: waiting.workflow,
    node: waiting.node,
    methods: [method!],
    params: {},
    webhookUrl: `${publicAddress}/${endpoints.waiting}/${id}${suffix && `/${suffix}`}`,
    test: waiting.test,
    clientAddress,
  };
  const received = await receiveCall(call, engine);
  if (received instanceof Response) return received;
  const { output } = received;
  return answerCall(
    call,
    received,
    ({ answer }) => engine.executions.resume(id, { output, ...(answer && { answer }) }),
    engine,
  );
}

function waitingNode(
  test: boolean,
  workflow: Workflow,
  wait: { node: string; until: WaitUntil } | undefined,
): Waiting | undefined {
  if (wait?.until.kind !== 'webhook') return undefined;
  const node = workflow.nodes.find(({ name }) => name === wait.node);
  return node && { workflow, node, suffix: (wait.until.suffix ?? '').replace(/^\/|\/$/g, ''), test };
}

/** The run's items shall not hold what lets others go on with it. */
function withoutSignature(search: string): string {
  const kept = search
    .replace(/^\?/, '')
    .split('&')
    .filter((part) => part !== '' && !/^signature(=|$)/.test(part));
  return kept.length > 0 ? `?${kept.join('&')}` : '';
}

function preflight(request: Request): Response {
  const headers = new Headers({ ...CORS, 'access-control-max-age': '300' });
  const asked = request.headers.get('access-control-request-headers');
  if (asked !== null) headers.set('access-control-allow-headers', asked);
  const method = request.headers.get('access-control-request-method') ?? 'GET';
  if (!METHODS.includes(method)) headers.append('access-control-allow-methods', method);
  return new Response(null, { status: 204, headers });
}
