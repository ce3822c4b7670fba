/** POST /v1/messages: a translation to and from the internal language. */
import { type RouteCall, readBodyJson } from '#core/http';
import type { ModelRegistry } from '../../registry/model-registry.ts';
import type { ChatRequest } from '../../runs/requests.ts';
import type { LocalModels } from '../../runs/services.ts';
import { randomHexId } from '../random-id.ts';
import { respond } from '../respond.ts';
import { typedEvent } from '../server-sent-events.ts';
import { wholeMessage } from './answer.ts';
import { anthropicLateFailure, anthropicRunFailure } from './errors.ts';
import { readMessagesRequest } from './request.ts';
import { MessageStream } from './stream.ts';

/** Tools ask for thinking whatever the model is; one that cannot think just answers. */
async function withoutVainThinking(request: ChatRequest, registry: ModelRegistry): Promise<ChatRequest> {
  if (!request.think) return request;
  const model = await registry.find(registry.parse(request.model));
  return model?.capabilities.includes('thinking') ? request : { ...request, think: undefined };
}

export async function messages(models: LocalModels, { request, signal }: RouteCall): Promise<Response> {
  const { spelled, stream, searches, estimate, toRequest } = readMessagesRequest(
    await readBodyJson(request, signal, { whenEmpty: 'EOF', zstd: true }),
  );
  const id = randomHexId('msg');
  const streamed = new MessageStream(id, spelled, estimate, searches);
  return respond(
    models,
    {
      stream,
      streamHeaders: { 'cache-control': 'no-cache' },
      begin: async (leaves) =>
        models.text.chat(await withoutVainThinking(toRequest(), models.registry), leaves),
    },
    {
      whole: (answer) => wholeMessage(answer, { id, model: spelled, searches }),
      events: (event) => streamed.events(event).map(typedEvent),
      failure: anthropicRunFailure,
      lateFailure: anthropicLateFailure,
    },
    signal,
  );
}
