/** `/webhook/PATH` and `/webhook-test/PATH`: finds the node that is registered for the path, and answers the call. */

import { chatTrigger } from '../nodes/ai/triggers/chat-trigger.ts';
import type { CalledPath } from '../registrations/called-path.ts';
import type { WebhookServices } from '../services.ts';
import { answerChatCall } from './chat/chat-call.ts';
import { answerHookCall } from './hook-call.ts';
import { notRegistered } from './not-registered.ts';
import { receiveCall } from './receive-call.ts';
import { respondToCall } from './response/respond.ts';
import { createCall } from './webhook-call.ts';

export async function answerRegisteredCall(
  request: Request,
  called: CalledPath,
  clientAddress: string,
  { engine, publishing, listening, reachability }: WebhookServices,
): Promise<Response> {
  const test = called.mode === 'test';
  const { table } = test ? listening : publishing;
  const match = table.match(request.method, called.path);
  if (!match) {
    return (
      reachability.answer(request, called) ??
      notRegistered(request.method, called, table.methods(called.path))
    );
  }
  engine.executions.requireCapacity();
  const methods = table.methods(called.path);
  const { hook } = engine.services.nodeType(match.registration.node.type) ?? {};
  if (hook) {
    const claimed = test ? listening.claim(match.registration) : undefined;
    if (test && !claimed) return notRegistered(request.method, called, []);
    return answerHookCall(request, match.registration, hook, engine);
  }
  const call = createCall({ request, clientAddress, test, methods }, match, engine);
  if (call.node.type === chatTrigger.name) {
    const claim = test ? listening.claim(match.registration) : undefined;
    return answerChatCall({ ...call, ...(claim && { claim }) }, engine);
  }
  const received = await receiveCall(call, engine);
  if (received instanceof Response) return received;
  // Claimed last: a rejected call must not use up the listener.
  const claim = test ? listening.claim(match.registration) : undefined;
  if (test && !claim) {
    await received.files.drop();
    return notRegistered(request.method, called, []);
  }
  return respondToCall({ ...call, ...(claim && { claim }) }, received, engine);
}
