/** `/webhook/PATH` and `/webhook-test/PATH`: from a path to the node that is called, and to its answer. */

import type { CalledPath } from '../registrations/called-path.ts';
import { displayPath, type Registration } from '../registrations/registration.ts';
import type { RegistrationMatch } from '../registrations/registration-table.ts';
import type { WebhookServices } from '../services.ts';
import { corsRule, preflight } from './cors.ts';
import { notRegistered } from './not-registered.ts';
import { receiveCall } from './receive-call.ts';
import { answerCall } from './response/respond.ts';
import type { WebhookCall } from './webhook-call.ts';

export async function answerLive(
  request: Request,
  address: CalledPath,
  clientAddress: string,
  webhooks: WebhookServices,
): Promise<Response> {
  const { engine, publishing, listening } = webhooks;
  const test = address.mode === 'test';
  const { table } = test ? listening : publishing;
  if (request.method === 'OPTIONS') return answerPreflight(request, address, webhooks);
  const match = table.find(request.method, address.path);
  if (!match) {
    return (
      webhooks.reachability.answer(request, address) ??
      notRegistered(request.method, address, table.methods(address.path))
    );
  }
  engine.executions.checkRoom();
  const call = callOf(request, match, table.methods(address.path), { test, clientAddress }, webhooks);
  const received = await receiveCall(call, engine);
  if (received instanceof Response) return received;
  // Taken last, so that a call that is refused does not use the listener up.
  const taken = test ? listening.take(match.entry) : undefined;
  if (test && !taken) {
    await received.drop();
    return notRegistered(request.method, address, []);
  }
  const { workflow, node } = match.entry;
  return answerCall(
    call,
    received,
    async (options) => {
      const handle = await engine.executions.start({
        workflow,
        mode: test ? 'manual' : 'webhook',
        test,
        node: node.name,
        output: received.output,
        ...(taken?.destination !== undefined && { destination: taken.destination }),
        ...options,
      });
      if (test) listening.received(workflow.id, handle.id);
      return handle;
    },
    engine,
  );
}

function callOf(
  request: Request,
  { entry, params }: RegistrationMatch,
  methods: string[],
  { test, clientAddress }: { test: boolean; clientAddress: string },
  { engine }: WebhookServices,
): WebhookCall {
  const { publicAddress, endpoints } = engine.settings;
  const prefix = `${publicAddress}/${test ? endpoints.test : endpoints.webhook}`;
  return {
    request,
    workflow: entry.workflow,
    node: entry.node,
    methods,
    params,
    webhookUrl: `${prefix}/${displayPath(entry)}`,
    test,
    clientAddress,
  };
}

/** A browser asks before it calls from a page of another site. What is registered is named, whatever it asked for. */
function answerPreflight(request: Request, { mode, path }: CalledPath, webhooks: WebhookServices): Response {
  const { table } = mode === 'test' ? webhooks.listening : webhooks.publishing;
  const methods = table.methods(path);
  const asked = request.headers.get('access-control-request-method') ?? methods[0] ?? '';
  const entry: Registration | undefined = (table.find(asked, path) ?? table.find(methods[0] ?? '', path))
    ?.entry;
  if (!entry) return new Response(null, { status: 204 });
  return preflight(request.headers, corsRule({ node: entry.node, methods }, webhooks.engine.services));
}
