/** Requests of other processes of the cluster. Clients cannot send them: their calls have no `caller: 'peer'`. */
import { respondsAtOnce } from '../calls/responds-at-once.ts';
import { printControlError } from '../errors.ts';
import type { WebhookServer } from '../webhook-server.ts';
import { repeatStuck, stuckExecutions } from './stuck-executions.ts';

/** The path of a question about a call: `?method=POST&path=/webhook/orders`. */
const CALLS_PATH = '/peer/calls';
/** The path of the executions that need somebody to look at them. */
const STUCK_PATH = '/peer/executions/stuck';
/** The path of a question about a key of the control API, which is the body. */
const KEYS_PATH = '/peer/keys';

/**
 * Answers a request of another process:
 * - `GET /peer/calls` with `{ atOnce }`: whether the call is answered before its workflow has run;
 * - `POST /peer/keys` with `{ isValid }`;
 * - `POST /peer/executions/ID/stop` with `{ stopped }`: whether the execution ran here and is cancelled;
 * - `GET /peer/executions/stuck` with `{ executions }`, a `StuckExecution[]`;
 * - `POST /peer/executions/ID/retry` with `{ id }` of the execution that runs now, or with the error of the control API.
 */
export async function answerPeer(request: Request, url: URL, server: WebhookServer): Promise<Response> {
  try {
    return await answer(request, url, server);
  } catch (error) {
    const printed = printControlError(error);
    if (printed) return printed;
    throw error;
  }
}

async function answer(request: Request, url: URL, server: WebhookServer): Promise<Response> {
  const { pathname, searchParams } = url;
  const stopped = /^\/peer\/executions\/([^/]+)\/stop$/.exec(pathname)?.[1];
  const retried = /^\/peer\/executions\/([^/]+)\/retry$/.exec(pathname)?.[1];
  const { method } = request;
  if (method === 'GET' && pathname === STUCK_PATH)
    return Response.json({ executions: await stuckExecutions(await server.open()) });
  if (method === 'POST' && retried !== undefined) {
    return Response.json({ id: await repeatStuck(retried, await server.open()) });
  }
  if (method === 'POST' && stopped !== undefined) {
    const { engine } = await server.open();
    return Response.json({ stopped: await engine.executions.cancelHere(stopped) });
  }
  if (method === 'GET' && pathname === CALLS_PATH) {
    const [called, path] = [searchParams.get('method') ?? '', searchParams.get('path') ?? ''];
    return Response.json({ atOnce: respondsAtOnce(called, path, await server.open()) });
  }
  if (method === 'POST' && pathname === KEYS_PATH) {
    const { keys } = await server.open();
    return Response.json({ isValid: await keys.isValid(await request.text()) });
  }
  return new Response(null, { status: 404 });
}
