/** `/webhook-waiting/ID[/suffix]?signature=…`: a call that resumes a waiting execution. */
import { decodePercent } from '#core/base';
import { ApiError, jsonResponse, withHeaders } from '#core/http';
import type { WorkflowNode } from '#core/workflow-format';
import type { Engine } from '../engine/engine.ts';
import type { WaitingExecution } from '../engine/executions/start-call.ts';
import { problem } from '../errors.ts';
import { answerApproval } from './approval-call.ts';
import { corsHeaders } from './cors.ts';
import { WAITING_CORS } from './preflight.ts';
import { receiveCall } from './receive-call.ts';
import { respondToCall } from './response/respond.ts';
import type { WebhookCall } from './webhook-call.ts';
import { readWebhookOptions } from './webhook-options.ts';

/**
 * @param path the part of the address after `/webhook-waiting/`
 */
export async function answerWaitingCall(
  request: Request,
  path: string,
  clientAddress: string,
  engine: Engine,
): Promise<Response> {
  const [, id, suffix = ''] = /^([^/]*)(?:\/(.*))?$/s.exec(path)!;
  try {
    return withHeaders(await resume(request, { id: id!, suffix, clientAddress }, engine), WAITING_CORS);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return withHeaders(problem(error.status, error.message), WAITING_CORS);
  }
}

async function resume(
  request: Request,
  { id, suffix, clientAddress }: { id: string; suffix: string; clientAddress: string },
  engine: Engine,
): Promise<Response> {
  const { search, searchParams } = new URL(request.url);
  const waiting = await engine.executions.waiting(id);
  if (!engine.signatures.isOf(`/webhook-waiting/${id}`, searchParams.get('signature') ?? '')) {
    return jsonResponse({ error: 'Invalid token' }, 401);
  }
  if (isApproval(suffix, waiting)) return answerApproval(request, id, engine);
  const node = nodeWaitingAt(suffix, waiting);
  const options = node && readWebhookOptions(node, engine.services);
  if (!options || options.method !== request.method) {
    throw new ApiError(
      404,
      `The workflow for execution "${id}" does not contain a waiting webhook with a matching path/method.`,
    );
  }
  const { publicAddress, endpoints } = engine.settings;
  const { allowedOrigins, method } = options;
  const call: WebhookCall = {
    request,
    workflow: waiting.detail.workflowData,
    node,
    options,
    cors: corsHeaders(request.headers, { methods: [method], allowedOrigins }),
    search: withoutSignature(search),
    resumes: id,
    params: {},
    webhookUrl: `${publicAddress}/${endpoints.waiting}/${id}${suffix && `/${suffix}`}`,
    test: waiting.summary.test,
    clientAddress,
  };
  const received = await receiveCall(call, engine);
  return received instanceof Response ? received : respondToCall(call, received, engine);
}

/** Whether the execution waits for the answer of a person at this address. */
function isApproval(suffix: string, { wait }: WaitingExecution): boolean {
  return (
    wait?.until.kind === 'webhook' &&
    wait.until.approval === true &&
    wait.until.suffix === decodePercent(suffix)
  );
}

/** The node that the execution waits at, if it waits for a call with this suffix. */
function nodeWaitingAt(suffix: string, { wait, detail }: WaitingExecution): WorkflowNode | undefined {
  if (wait?.until.kind !== 'webhook' || wait.until.form || wait.until.approval) return undefined;
  const expected = (wait.until.suffix ?? '').replace(/^\/|\/$/g, '');
  return expected === suffix ? detail.workflowData.nodes.find(({ name }) => name === wait.node) : undefined;
}

/** The query for the item: an item must not hold what permits others to resume its execution. */
function withoutSignature(search: string): string {
  const parts = search
    .replace(/^\?/, '')
    .split('&')
    .filter((part) => part !== '' && !/^signature(=|$)/.test(part));
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}
