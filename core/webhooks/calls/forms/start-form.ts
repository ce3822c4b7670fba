/** Starts the execution of a submitted form, and answers the page that sent it. */
import { jsonResponse, withHeaders } from '#core/http';
import type { Engine } from '../../engine/engine.ts';
import type { ExecutionHandle } from '../../engine/executions/start-call.ts';
import type { FormPage } from '../../forms/form-page.ts';
import { renderMissing } from '../../forms/render/ending.ts';
import type { ReceivedCall } from '../receive-call.ts';
import { respondToCall } from '../response/respond.ts';
import { sandboxResponse } from '../response/response-headers.ts';
import type { WebhookCall } from '../webhook-call.ts';
import { isPageRequest, pageResponse, receivedResponse } from './form-response.ts';
import { hasFormPages } from './has-form-pages.ts';

interface Submission {
  page: FormPage;
  received: ReceivedCall;
}

/** @throws ApiError 503 when the queue is full */
export async function startForm(
  call: WebhookCall,
  { page, received }: Submission,
  engine: Engine,
): Promise<Response> {
  const { workflow, node, request, cors } = call;
  const mode = String(call.options.responseMode);
  const hasPages = hasFormPages(workflow, node.name, engine.services);
  if (mode === 'responseNode' && !hasPages) return respondToCall(call, received, engine);
  const execution = await start(call, received, engine);
  if (mode !== 'lastNode' || hasPages) await execution.accepted;
  if (hasPages) {
    const formWaitingUrl = engine.resumeUrl(execution.id, 'form');
    if (isPageRequest(request)) return redirect(nextPage(formWaitingUrl, call), cors);
    return jsonResponse({ formWaitingUrl }, 200, cors);
  }
  if (mode === 'lastNode') {
    const { status } = await execution.done;
    const hasFailed = status === 'error' || status === 'canceled';
    if (!isPageRequest(request)) return hasFailed ? errorInWorkflow(call) : emptyResponse(call, engine);
    if (hasFailed) return submittedPage('Problem submitting response', 'The workflow failed', call, engine);
  }
  if (!isPageRequest(request)) return receivedResponse(engine.settings, cors);
  const { redirectUrl, text } = page.submitted;
  if (/^https?:\/\//i.test(redirectUrl)) return redirect(redirectUrl, cors);
  return submittedPage('Form Submitted', text, call, engine);
}

async function start(
  { workflow, node, test, claim }: WebhookCall,
  { output, files }: ReceivedCall,
  { executions }: Engine,
): Promise<ExecutionHandle> {
  const handle = await executions.start({
    workflow,
    mode: test ? 'manual' : 'webhook',
    test,
    node: node.name,
    output,
    durable: true,
    ...(claim?.destination !== undefined && { destination: claim.destination }),
    ...(files.reservedId !== undefined && { id: files.reservedId }),
  });
  claim?.started(handle.id);
  return handle;
}

/** The next page from the address of this one, which may differ from the public address. */
function nextPage(formWaitingUrl: string, { request }: WebhookCall): string {
  const [, rest = ''] =
    /\/form(?:-test)?\/(.*)$/i.exec(new URL(request.url).pathname.replace(/\/$/, '')) ?? [];
  const { pathname, search } = new URL(formWaitingUrl);
  const path = pathname.slice(pathname.indexOf('/form-waiting/') + 1);
  return `${'../'.repeat(rest.split('/').length)}${path}${search}`;
}

const redirect = (location: string, cors: WebhookCall['cors']) =>
  new Response(null, { status: 303, headers: [...cors, ['location', location]] });

function submittedPage(title: string, text: string, { cors }: WebhookCall, { settings }: Engine): Response {
  return pageResponse(renderMissing(title, text), settings, { headers: cors });
}

function errorInWorkflow({ cors }: WebhookCall): Response {
  return jsonResponse({ message: 'Error in workflow' }, 500, cors);
}

function emptyResponse({ cors }: WebhookCall, { settings }: Engine): Response {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const response = new Response('', { status: 200, headers });
  if (settings.sandboxedResponses) sandboxResponse(response.headers);
  return withHeaders(response, cors);
}
