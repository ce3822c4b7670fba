/** `/form/PATH` and `/form-test/PATH`: shows the page of a form trigger, and starts the workflow when it is sent. */
import { jsonResponse, withHeaders } from '#core/http';
import { nodeSettings } from '#core/workflow-format';
import { printCallError, problem } from '../../errors.ts';
import { type FormPage, readFormFields } from '../../forms/form-page.ts';
import { renderMissing } from '../../forms/render/ending.ts';
import { renderPage } from '../../forms/render/page.ts';
import { submittedItem } from '../../forms/submission.ts';
import { formTrigger } from '../../nodes/triggers/form-trigger.ts';
import type { CalledPath } from '../../registrations/called-path.ts';
import type { WebhookServices } from '../../services.ts';
import { AccessDenied } from '../access/access-denied.ts';
import { callExpressions, type Evaluate } from '../call-expressions.ts';
import { CallFiles } from '../call-files.ts';
import { createCall, type WebhookCall } from '../webhook-call.ts';
import { admitToForm, deniedForm } from './form-access.ts';
import { readFormBody } from './form-body.ts';
import { pageResponse } from './form-response.ts';
import { startForm } from './start-form.ts';

/** Never rejects, except when the client disconnects. */
export async function answerForm(
  request: Request,
  called: CalledPath,
  clientAddress: string,
  services: WebhookServices,
): Promise<Response> {
  const { engine, publishing, listening } = services;
  const test = called.mode === 'test';
  const { table } = test ? listening : publishing;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const match = table.match(method, called.path, 'form');
  if (!match) return missingForm(called, table.methods(called.path, 'form').length > 0, services);
  const methods = table.methods(called.path, 'form');
  const call = createCall({ request, clientAddress, test, methods }, match, engine);
  const evaluate = callExpressions(call, engine.services);
  const files = new CallFiles(undefined, engine);
  try {
    const token = await admitToForm(call, evaluate, engine);
    const page = await triggerPage(call, evaluate);
    if (method === 'GET') {
      const prefill = new URL(request.url).searchParams;
      const html = renderPage(page, { prefill, waiting: false, ...(token !== undefined && { token }) });
      return pageResponse(html, engine.settings, { headers: call.cors });
    }
    engine.executions.requireCapacity();
    const body = await readFormBody(request, {
      limits: engine.settings.bodyLimits,
      files: () => files.open(),
    });
    const { host, timezone } = engine.services;
    const zone = call.workflow.settings.timezone;
    const item = submittedItem(body, {
      page,
      now: host.clock.now(),
      timezone: typeof zone === 'string' && zone !== 'DEFAULT' ? zone : timezone,
      test,
    });
    const claim = test ? listening.claim(match.registration) : undefined;
    if (test && !claim) {
      await files.drop();
      return missingForm(called, false, services);
    }
    const claimed = { ...call, ...(claim && { claim }) };
    return await startForm(claimed, { page, received: { output: [[item]], files } }, engine);
  } catch (error) {
    await files.drop();
    if (request.signal.aborted) throw error;
    return withHeaders(failure(error, services), call.cors);
  }
}

function failure(error: unknown, { engine }: WebhookServices): Response {
  if (error instanceof AccessDenied) return deniedForm(error);
  const printed = printCallError(error);
  if (printed) return printed;
  engine.services.host.log.warn('webhooks: a form could not be answered', { error: String(error) });
  return problem(500, 'There was a problem executing the workflow', { code: 0 });
}

/** @param isOtherMethod whether a form has the path, but not for this method */
function missingForm(
  { mode, path }: CalledPath,
  isOtherMethod: boolean,
  { engine }: WebhookServices,
): Response {
  if (isOtherMethod)
    return jsonResponse({ code: 404, message: `The form "${path}" takes GET and POST` }, 404);
  const text =
    mode === 'test'
      ? 'Listen for a test submission in the editor, then open this page again.'
      : 'Publish the workflow of this form, then open this page again.';
  const html = renderMissing('This form is not available', text);
  return pageResponse(html, engine.settings, { status: 404 });
}

/** The page as the trigger's parameters describe it now. */
async function triggerPage({ node }: WebhookCall, evaluate: Evaluate): Promise<FormPage> {
  const { get } = nodeSettings(formTrigger, node);
  const value = (path: string) => evaluate(get(path));
  const text = async (path: string) => {
    const found = await value(path);
    return found === undefined || found === null ? '' : String(found);
  };
  const response = 'options.respondWithOptions.values';
  const isRedirect = (await text(`${response}.respondWith`)) === 'redirect';
  const submitted =
    (await text(`${response}.formSubmittedText`)) || (await text('options.formSubmittedText'));
  return {
    kind: 'page',
    title: await text('formTitle'),
    description: await text('formDescription'),
    button: (await text('options.buttonLabel')) || 'Submit',
    fields: readFormFields(await value('formFields.values')),
    css: await text('options.customCss'),
    attribution: get('options.appendAttribution') !== false,
    submitted: {
      text: submitted || 'Your response has been recorded',
      redirectUrl: isRedirect ? await text(`${response}.redirectUrl`) : '',
    },
    localTime: get('options.useWorkflowTimezone') === true,
  };
}
