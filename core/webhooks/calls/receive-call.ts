/** From a request to the item that starts a run, or to the answer that refuses it. */
import { StorageFull } from '#core/host';
import { ApiError, jsonResponse } from '#core/http';
import type { Item, NodeOutput } from '#core/workflow-format';
import type { Engine } from '../engine/engine.ts';
import { problem } from '../errors.ts';
import type { BinaryData } from '../node-api/node-context.ts';
import { AccessDenied } from './access/access-denied.ts';
import { admitCall } from './access/admit-call.ts';
import { BodyTooLarge, BodyUnreadable } from './body/errors.ts';
import { readBody } from './body/read-body.ts';
import { corsHeaders, corsRule } from './cors.ts';
import { itemHeaders } from './item-headers.ts';
import { parseQuery } from './query.ts';
import { Misconfigured, requireResponder } from './require-responder.ts';
import type { WebhookCall } from './webhook-call.ts';
import { parameterOf, settingsOf } from './webhook-options.ts';

export interface ReceivedCall {
  /** What the node gives: the item on the output of the call's method. */
  output: NodeOutput;
  /** The run's, where something of it was kept already: to be given to `executions.start`. */
  executionId: string | undefined;
  /** Drops what was kept of a call that starts no run after all. */
  drop(): Promise<void>;
}

export type CallParts = Pick<Engine, 'executions' | 'files' | 'services' | 'settings'>;

/** Never throws, but for a client that left while it was sending: the signal's reason. */
export async function receiveCall(call: WebhookCall, parts: CallParts): Promise<ReceivedCall | Response> {
  try {
    return await receive(call, parts);
  } catch (error) {
    if (call.request.signal.aborted) throw error;
    if (error instanceof Misconfigured) await keepRefused(call, error, parts);
    const answer = refusalOf(error, parts);
    for (const [name, value] of corsHeaders(call.request.headers, corsRule(call, parts.services))) {
      answer.headers.set(name, value);
    }
    return answer;
  }
}

/** The fault is the workflow's, so its maker finds it among the runs. */
async function keepRefused(
  { workflow, node, test }: WebhookCall,
  error: Misconfigured,
  { executions, services }: CallParts,
): Promise<void> {
  try {
    await executions.refuse({ workflow, node: node.name, mode: test ? 'manual' : 'webhook', test }, error);
  } catch (failure) {
    services.host.log.warn('webhooks: a refused call could not be kept', { error: String(failure) });
  }
}

async function receive(call: WebhookCall, parts: CallParts): Promise<ReceivedCall> {
  const { services, settings, executions, files } = parts;
  const { request, node } = call;
  const { signal } = request;
  requireResponder(call, services);
  const { jwtPayload } = await admitCall(call, services, settings.proxyHops);
  let executionId: string | undefined;
  const drop = async () => {
    if (executionId !== undefined) await files.forget(executionId);
  };
  try {
    const { body, binary } = await readBody(
      request,
      {
        version: node.typeVersion,
        raw: (await parameterOf(call, 'options.rawBody', services, { signal })) === true,
        asFile: (await parameterOf(call, 'options.binaryData', services, { signal })) === true,
        fileProperty: textOf(await parameterOf(call, 'options.binaryPropertyName', services, { signal })),
      },
      {
        limits: settings.bodyLimits,
        async files(): Promise<BinaryData> {
          if (call.executionId !== undefined) return files.of(call.executionId);
          executionId ??= await executions.reserve();
          return files.of(executionId);
        },
      },
    );
    const item: Item = {
      json: {
        headers: itemHeaders(request, services.host),
        params: call.params,
        query: parseQuery(call.search ?? new URL(request.url).search),
        ...(body !== undefined && { body }),
        webhookUrl: call.webhookUrl,
        executionMode: call.test ? 'test' : 'production',
        ...(jwtPayload && { jwtPayload }),
      },
      ...(Object.keys(binary).length > 0 && { binary }),
      pairedItem: { item: 0 },
    };
    if (!(await runsFor(call, item, services))) throw new NotWanted();
    return { output: outputFor(call, item, services), executionId, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** The option "Only Run If": an expression over the item; what is no expression does not count. */
async function runsFor(call: WebhookCall, item: Item, services: CallParts['services']): Promise<boolean> {
  const rule = settingsOf(call.node, services).get('options.onlyRunIf');
  if (typeof rule !== 'string' || !rule.startsWith('=')) return true;
  const { signal } = call.request;
  return Boolean(await parameterOf(call, 'options.onlyRunIf', services, { item, signal }));
}

/** A node that takes several methods has an output for each. */
function outputFor({ request, node }: WebhookCall, item: Item, services: CallParts['services']): NodeOutput {
  const settings = settingsOf(node, services);
  const methods = settings.get('httpMethod');
  if (settings.get('multipleMethods') !== true || !Array.isArray(methods)) return [[item]];
  return methods.map((method) => (method === request.method ? [item] : []));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The call is in order, but the workflow does not want it. */
class NotWanted extends Error {}

function refusalOf(error: unknown, { services }: CallParts): Response {
  if (error instanceof AccessDenied) return error.toResponse();
  if (error instanceof Misconfigured) return problem(500, error.message, { code: 0 });
  if (error instanceof NotWanted) return jsonResponse({ message: 'Webhook call received' });
  if (error instanceof BodyUnreadable) {
    const { status, message, hint } = error;
    return problem(status, message, status === 400 ? {} : { hint });
  }
  if (error instanceof BodyTooLarge) return problem(413, error.message);
  if (error instanceof StorageFull) {
    return problem(507, 'The files of this call could not be kept: there is no space left');
  }
  if (error instanceof ApiError) return problem(error.status, error.message);
  services.host.log.warn('webhooks: a call could not be taken', { error: String(error) });
  return problem(500, 'There was a problem executing the workflow', { code: 0 });
}
