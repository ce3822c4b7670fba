/** Turns a request into the first output of an execution, or into the response that rejects the call. */
import type { NodeOutput } from '#core/workflow-format';
import type { Engine } from '../engine/engine.ts';
import { admitCall } from './access/admit-call.ts';
import { readItemBody } from './body/read-body.ts';
import { callExpressions } from './call-expressions.ts';
import { CallFiles } from './call-files.ts';
import { outputOnMethod, webhookItem } from './call-item.ts';
import { CallIgnored, rejectCall } from './reject-call.ts';
import { requireResponder } from './require-responder.ts';
import type { WebhookCall } from './webhook-call.ts';

export interface ReceivedCall {
  /** The called node's output: the item on the output of the call's method. */
  output: NodeOutput;
  /** The files of the call, stored for the execution. */
  files: CallFiles;
}

/** @throws only when the client disconnects while it sends: the signal's reason */
export async function receiveCall(call: WebhookCall, engine: Engine): Promise<ReceivedCall | Response> {
  const files = new CallFiles(call.resumes, engine);
  try {
    return { output: await receive(call, files, engine), files };
  } catch (error) {
    await files.drop();
    return rejectCall(call, error, engine);
  }
}

async function receive(call: WebhookCall, files: CallFiles, engine: Engine): Promise<NodeOutput> {
  const { services, settings } = engine;
  const { request, node, options } = call;
  requireResponder(call);
  const evaluate = callExpressions(call, services);
  const jwtPayload = await admitCall(call, evaluate, services, settings.proxyHops);
  const body = await readItemBody(request, await evaluate(options.body), {
    version: node.typeVersion,
    limits: settings.bodyLimits,
    files: () => files.open(),
    xml: engine.xml,
  });
  const item = webhookItem(call, body, jwtPayload, services.host.capabilities);
  const { onlyRunIf } = options;
  if (onlyRunIf !== undefined && !(await evaluate(onlyRunIf, item))) throw new CallIgnored();
  return outputOnMethod(call, item);
}
