/** Calls of services to their triggers. */
import { jsonResponse, readBodyBytes } from '#core/http';
import type { Engine } from '../engine/engine.ts';
import { contextOutside } from '../engine/run/supply-outside.ts';
import { NodeError } from '../node-api/node-error.ts';
import type { ServiceHook } from '../node-api/service-hook.ts';
import type { Registration } from '../registrations/registration.ts';

/** Bytes. Services describe an event; they send no files. */
const MAX_BODY = 16 * 1024 * 1024;

/** Answers when the execution is recorded. */
export async function answerHookCall(
  request: Request,
  { workflow, node }: Registration,
  hook: ServiceHook,
  engine: Engine,
): Promise<Response> {
  const bytes = await readBodyBytes(request, MAX_BODY, request.signal);
  const asking = { workflow, node, items: [], signal: request.signal };
  const context = contextOutside(asking, engine.services)!;
  const call = {
    headers: request.headers,
    query: Object.fromEntries(new URL(request.url).searchParams),
    bytes,
    secret: hookSecret(engine, workflow.id, node.id),
  };
  const answer = await hook.receive(context, call);
  if (answer.kind === 'refused') return jsonResponse({ message: 'Provided secret is not valid' }, 403);
  if (answer.kind === 'confirmed') {
    if ('json' in answer) return jsonResponse(answer.json);
    return new Response(answer.text, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  }
  if (answer.kind === 'items') {
    const output = [answer.items.map((json) => ({ json, pairedItem: { item: 0 } }))];
    await engine.executions.start({
      workflow,
      mode: 'webhook',
      node: node.name,
      durable: true,
      anywhere: true,
      output,
    });
  }
  if (answer.kind === 'item') {
    const { executions, services } = engine;
    const start = { workflow, mode: 'webhook' as const, node: node.name, durable: true, anywhere: true };
    const id = await executions.reserve();
    try {
      const binary = await answer.attach?.(contextOutside({ ...asking, executionId: id }, services)!);
      const item = { json: answer.json, ...(binary && { binary }), pairedItem: { item: 0 } };
      await executions.start({ ...start, id, output: [[item]] });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      // The service would send the same event again and again.
      await executions.refuse(start, error);
      await engine.files.forget(id);
    }
  }
  return jsonResponse({ message: 'Workflow was started' });
}

/** A text that only this installation and the service know. */
export function hookSecret(
  { signatures }: Pick<Engine, 'signatures'>,
  workflowId: string,
  nodeId: string,
): string {
  return signatures.of(`hook ${workflowId} ${nodeId}`);
}
