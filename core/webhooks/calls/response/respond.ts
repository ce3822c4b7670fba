/** Starts the execution that a call asks for, and responds to the call. */
import { earlyResponseHead, withHeaders } from '#core/http';
import type { Engine } from '../../engine/engine.ts';
import type { ExecutionHandle, StartCall } from '../../engine/executions/start-call.ts';
import { printCallError, problem } from '../../errors.ts';
import type { ReceivedCall } from '../receive-call.ts';
import type { WebhookCall } from '../webhook-call.ts';
import { responseMode } from './response-modes.ts';

/** Never rejects. The execution continues even if the client disconnects. */
export function respondToCall(call: WebhookCall, received: ReceivedCall, engine: Engine): Promise<Response> {
  const { clock, capabilities } = engine.services.host;
  const { maxHeadDelay } = capabilities;
  const respond = () => startAndRespond(call, received, engine);
  if (maxHeadDelay === undefined) return respond();
  return earlyResponseHead(respond, {
    clock,
    within: maxHeadDelay,
    contentType: 'application/json; charset=utf-8',
    headers: call.cors,
  });
}

async function startAndRespond(call: WebhookCall, received: ReceivedCall, engine: Engine): Promise<Response> {
  const mode = responseMode(call, engine);
  let execution: ExecutionHandle;
  try {
    execution = await startExecution(call, received, mode.start, engine);
    // An execution that could not be recorded does not run.
    await execution.accepted;
  } catch (error) {
    await received.files.drop();
    return failure(error, call, engine);
  }
  try {
    return await mode.respond(execution);
  } catch (error) {
    return failure(error, call, engine);
  }
}

async function startExecution(
  call: WebhookCall,
  { output, files }: ReceivedCall,
  start: Pick<StartCall, 'responseSink' | 'durable' | 'anywhere'>,
  { executions }: Engine,
): Promise<ExecutionHandle> {
  const { workflow, node, test, resumes, claim } = call;
  if (resumes !== undefined) {
    const { responseSink } = start;
    return executions.resume(resumes, { output, ...(responseSink && { responseSink }) });
  }
  const handle = await executions.start({
    workflow,
    mode: test ? 'manual' : 'webhook',
    test,
    node: node.name,
    output,
    ...(claim?.destination !== undefined && { destination: claim.destination }),
    ...(files.reservedId !== undefined && { id: files.reservedId }),
    ...start,
    // The editor shows a test run as it happens.
    ...(test && { anywhere: false }),
  });
  claim?.started(handle.id);
  return handle;
}

function failure(error: unknown, { cors }: WebhookCall, { services }: Engine): Response {
  let response = printCallError(error);
  if (!response) {
    services.host.log.warn('webhooks: a call could not be answered', { error: String(error) });
    response = problem(500, 'There was a problem executing the workflow', { code: 0 });
  }
  return withHeaders(response, cors);
}
