import { StorageFull } from '#core/host';
import { jsonResponse } from '#core/http';
import type { Engine } from '../engine/engine.ts';
import { printCallError, problem } from '../errors.ts';
import { AccessDenied } from './access/access-denied.ts';
import { Misconfigured } from './require-responder.ts';
import type { WebhookCall } from './webhook-call.ts';

/** The call is valid, but the option "Only Run If" excludes it. */
export class CallIgnored extends Error {}

/**
 * The response to a call that could not be received.
 * @throws the error of a client that disconnected
 */
export async function rejectCall(call: WebhookCall, error: unknown, engine: Engine): Promise<Response> {
  if (call.request.signal.aborted) throw error;
  if (error instanceof Misconfigured) await recordRefusal(call, error, engine);
  const response = printRejection(error, engine);
  for (const [name, value] of call.cors) response.headers.set(name, value);
  return response;
}

/** The fault is in the workflow: its author finds it in the list of executions. */
async function recordRefusal(
  { workflow, node, test }: WebhookCall,
  error: Misconfigured,
  { executions, services }: Engine,
): Promise<void> {
  try {
    await executions.refuse({ workflow, node: node.name, mode: test ? 'manual' : 'webhook', test }, error);
  } catch (failure) {
    services.host.log.warn('webhooks: a refused call could not be recorded', { error: String(failure) });
  }
}

function printRejection(error: unknown, { services }: Engine): Response {
  if (error instanceof AccessDenied) return error.toResponse();
  if (error instanceof CallIgnored) return jsonResponse({ message: 'Webhook call received' });
  if (error instanceof StorageFull) {
    return problem(507, 'The files of this call could not be kept: there is no space left');
  }
  const printed = printCallError(error);
  if (printed) return printed;
  services.host.log.warn('webhooks: a call could not be received', { error: String(error) });
  return problem(500, 'There was a problem executing the workflow', { code: 0 });
}
