/** `/form-waiting/ID?signature=…`: the further pages of a form, whose execution waits for them. */

import { sleep } from '#core/base';
import { ApiError, jsonResponse, textResponse, withHeaders } from '#core/http';
import type { WorkflowNode } from '#core/workflow-format';
import type { Engine } from '../../engine/engine.ts';
import type { WaitingExecution } from '../../engine/executions/start-call.ts';
import { printCallError, problem } from '../../errors.ts';
import type { FormEnding, FormPage } from '../../forms/form-page.ts';
import { renderBusy, renderEnded, renderEnding, renderMissing } from '../../forms/render/ending.ts';
import { renderPage } from '../../forms/render/page.ts';
import { submittedItem } from '../../forms/submission.ts';
import { AccessDenied } from '../access/access-denied.ts';
import { callExpressions } from '../call-expressions.ts';
import { WAITING_CORS } from '../preflight.ts';
import type { WebhookCall } from '../webhook-call.ts';
import { readWebhookOptions } from '../webhook-options.ts';
import { admitToForm, deniedForm } from './form-access.ts';
import { readFormBody } from './form-body.ts';
import { isPageRequest, pageResponse, receivedResponse } from './form-response.ts';

/** Asks for the state of the execution in place of its page. */
const STATUS = 'n8n-execution-status';
/** Milliseconds for which a page waits for an execution that still works. */
const PATIENCE = 5000;
const POLL = 100;

/** @param path the part of the address after `/form-waiting/` */
export async function answerWaitingForm(
  request: Request,
  path: string,
  clientAddress: string,
  engine: Engine,
): Promise<Response> {
  const [, id = '', suffix = ''] = /^([^/]*)(?:\/(.*))?$/s.exec(path)!;
  try {
    return await answer(request, { id, suffix, clientAddress }, engine);
  } catch (error) {
    if (request.signal.aborted) throw error;
    const printed = error instanceof AccessDenied ? deniedForm(error) : printCallError(error);
    if (!printed) throw error;
    return withHeaders(printed, WAITING_CORS);
  }
}

interface Visit {
  id: string;
  suffix: string;
  clientAddress: string;
}

async function answer(request: Request, visit: Visit, engine: Engine): Promise<Response> {
  const { id, suffix } = visit;
  const { executions, signatures, settings } = engine;
  const summary = (await executions.get(id))?.summary;
  if (!summary) {
    const html = renderMissing(
      'This form is not available',
      `The execution "${id.slice(0, 50)}" does not exist.`,
    );
    return pageResponse(html, settings, { status: 404 });
  }
  const signature = new URL(request.url).searchParams.get('signature') ?? '';
  if (!signatures.isOf(`/webhook-waiting/${id}`, signature))
    return jsonResponse({ error: 'Invalid token' }, 401);
  if (suffix === STATUS) {
    return textResponse(await stateOf(id, engine), 200, 'text/plain; charset=utf-8', WAITING_CORS);
  }
  if (request.method === 'POST') return withHeaders(await submit(request, visit, engine), WAITING_CORS);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return problem(404, `The form of execution "${id}" takes GET and POST`);
  }
  return show(request, visit, engine);
}

/** `form-waiting`, or the status of an execution that does not wait for a form. */
async function stateOf(id: string, { executions }: Engine): Promise<string> {
  const status = (await executions.get(id))?.summary.status ?? 'crashed';
  if (status !== 'waiting') return status;
  const { wait } = await executions.waiting(id);
  return wait?.until.kind === 'webhook' && wait.until.form ? 'form-waiting' : 'running';
}

async function show(request: Request, visit: Visit, engine: Engine): Promise<Response> {
  const state = await settledState(visit.id, request.signal, engine);
  const { settings } = engine;
  if (state === 'running' || state === 'new') return pageResponse(renderBusy(), settings);
  if (state !== 'form-waiting') return pageResponse(renderEnded(state !== 'success'), settings);
  const waiting = await waitingForm(visit.id, engine);
  const { page } = waiting;
  if (page.kind === 'ending') {
    const sandboxed = page.respondWith !== 'redirect';
    return withHeaders(pageResponse(renderEnding(page), settings, { sandboxed }), WAITING_CORS);
  }
  const call = callOf(request, visit, waiting, engine);
  const token = await admitToForm(call, callExpressions(call, engine.services), engine);
  const prefill = new URL(request.url).searchParams;
  const html = renderPage(page, { prefill, waiting: true, ...(token !== undefined && { token }) });
  return withHeaders(pageResponse(html, settings), WAITING_CORS);
}

async function submit(request: Request, visit: Visit, engine: Engine): Promise<Response> {
  const { executions, services, settings, files } = engine;
  await settledState(visit.id, request.signal, engine);
  const waiting = await waitingForm(visit.id, engine);
  const { page } = waiting;
  if (page.kind === 'ending') throw new ApiError(409, `The execution "${visit.id}" shows its last page`);
  const call = callOf(request, visit, waiting, engine);
  await admitToForm(call, callExpressions(call, services), engine);
  const body = await readFormBody(request, {
    limits: settings.bodyLimits,
    files: async () => files.of(visit.id),
  });
  const zone = call.workflow.settings.timezone;
  const item = submittedItem(body, {
    page,
    now: services.host.clock.now(),
    timezone: typeof zone === 'string' && zone !== 'DEFAULT' ? zone : services.timezone,
    test: call.test,
  });
  const execution = await executions.resume(visit.id, { output: [[item]] });
  await execution.accepted;
  if (!isPageRequest(request)) return receivedResponse(settings, []);
  const { pathname, search } = new URL(request.url);
  return new Response(null, { status: 303, headers: { location: pathname + search } });
}

interface WaitingForm extends WaitingExecution {
  node: WorkflowNode;
  page: FormPage | FormEnding;
}

/** @throws ApiError 404 or 409 when the execution does not wait for a form */
async function waitingForm(id: string, { executions }: Engine): Promise<WaitingForm> {
  const waiting = await executions.waiting(id);
  const { wait, detail } = waiting;
  const node = detail.workflowData.nodes.find(({ name }) => name === wait?.node);
  const memory = wait && detail.data.executionData?.memory[wait.node];
  const page = memory?.formPage as WaitingForm['page'] | undefined;
  if (wait?.until.kind === 'webhook' && wait.until.form && node && page) return { ...waiting, node, page };
  throw new ApiError(404, `The execution "${id}" does not wait for a form`);
}

function callOf(
  request: Request,
  { id, clientAddress }: Visit,
  { detail, node, summary }: WaitingForm,
  { services, settings }: Engine,
): WebhookCall {
  return {
    request,
    workflow: detail.workflowData,
    node,
    options: readWebhookOptions(node, services),
    cors: [],
    search: '',
    resumes: id,
    params: {},
    webhookUrl: `${settings.publicAddress}/form-waiting/${id}`,
    test: summary.test,
    clientAddress,
  };
}

/** The state when the execution waits or has ended, or when the patience of a browser is at its end. */
async function settledState(id: string, signal: AbortSignal, engine: Engine): Promise<string> {
  const { clock } = engine.services.host;
  const end = clock.now() + PATIENCE;
  for (;;) {
    const state = await stateOf(id, engine);
    if ((state !== 'running' && state !== 'new') || clock.now() >= end) return state;
    await sleep(clock, POLL, signal);
  }
}
