/** `/webhook/PATH` and `/webhook-test/PATH`: from a path to the node that is called, and to its answer. */
import type { AddressEntry } from '../addresses/entry.ts';
import { shownPath } from '../addresses/entry.ts';
import type { Match } from '../addresses/table.ts';
import { answerCall } from '../respond/answer-call.ts';
import type { WebhookCall } from '../webhook/call.ts';
import { corsRule, preflight } from '../webhook/cors.ts';
import { receiveCall } from '../webhook/receive-call.ts';
import type { Webhooks } from '../webhooks.ts';
import type { CalledAddress } from './address.ts';
import { notRegistered } from './not-registered.ts';

export async function answerLive(
  request: Request,
  address: CalledAddress,
  clientAddress: string,
  webhooks: Webhooks,
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
  { entry, params }: Match,
  methods: string[],
  { test, clientAddress }: { test: boolean; clientAddress: string },
  { engine }: Webhooks,
): WebhookCall {
  const { publicAddress, endpoints } = engine.settings;
  const prefix = `${publicAddress}/${test ? endpoints.test : endpoints.webhook}`;
  return {
    request,
    workflow: entry.workflow,
    node: entry.node,
    methods,
    params,
    webhookUrl: `${prefix}/${shownPath(entry)}`,
    test,
    clientAddress,
  };
}

/** A browser asks before it calls from a page of another site. What is registered is named, whatever it asked for. */
function answerPreflight(request: Request, { mode, path }: CalledAddress, webhooks: Webhooks): Response {
  const { table } = mode === 'test' ? webhooks.listening : webhooks.publishing;
  const methods = table.methods(path);
  const asked = request.headers.get('access-control-request-method') ?? methods[0] ?? '';
  const entry: AddressEntry | undefined = (table.find(asked, path) ?? table.find(methods[0] ?? '', path))
    ?.entry;
  if (!entry) return new Response(null, { status: 204 });
  return preflight(request.headers, corsRule({ node: entry.node, methods }, webhooks.engine.services));
}
