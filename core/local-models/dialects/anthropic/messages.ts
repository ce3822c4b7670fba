/** POST /v1/messages */
import { type RouteCall, readBodyJson } from '#core/http';
import type { ModelRegistry } from '../../registry/model-registry.ts';
import type { ChatRequest } from '../../runs/requests.ts';
import type { LocalModelServices } from '../../runs/services.ts';
import { randomHexId } from '../random-id.ts';
import { respond } from '../respond.ts';
import { typedEvent } from '../server-sent-events.ts';
import { anthropicRunError, anthropicStreamError } from './errors.ts';
import { completeMessage } from './message-object.ts';
import { MessageStream } from './message-stream.ts';
import { readMessagesRequest } from './request.ts';

/** Anthropic's clients ask every model to think. A model that cannot think answers without it, instead of an error. */
async function withSupportedThinking(request: ChatRequest, registry: ModelRegistry): Promise<ChatRequest> {
  if (!request.think) return request;
  const model = await registry.find(registry.parse(request.model));
  return model?.capabilities.includes('thinking') ? request : { ...request, think: undefined };
}

export async function messages(
  services: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const { registry, textService } = services;
  const { requestedName, stream, offersSearch, estimate, toRequest } = readMessagesRequest(
    await readBodyJson(request, signal, { whenEmpty: 'EOF', zstd: true }),
  );
  const id = randomHexId('msg');
  const messageStream = new MessageStream(id, requestedName, estimate, offersSearch);
  return respond(
    services,
    {
      stream,
      streamHeaders: { 'cache-control': 'no-cache' },
      start: async (runSignal) =>
        textService.chat(await withSupportedThinking(toRequest(), registry), runSignal),
    },
    {
      complete: (answer) => completeMessage(answer, { id, model: requestedName, offersSearch }),
      events: (event) => messageStream.events(event).map(typedEvent),
      error: anthropicRunError,
      streamError: anthropicStreamError,
    },
    signal,
  );
}
