/** POST /api/embed, and POST /api/embeddings, which Ollama replaced by it */
import {
  ApiError,
  booleanField,
  decodeBody,
  earlyResponseHead,
  HEAD_WITHIN,
  integerField,
  type JsonNode,
  jsonResponse,
  omitIfEmpty,
  type RouteCall,
  rawField,
  readBodyJson,
  shortestFloat32,
  stringField,
  structOf,
} from '#core/http';
import { JSON_TYPE } from '../base/content-types.ts';
import type { ModelOptions } from '../base/model-options.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { localName, requireModel } from '../runs/model-name.ts';
import type { EmbedRequest, EmbedResult } from '../runs/requests.ts';
import type { LocalModelServices } from '../runs/services.ts';
import { nativeError } from './errors.ts';
import { optionMap } from './fields.ts';
import { keepAlive } from './keep-alive.ts';
import { readOptions } from './options.ts';

const embedFields = structOf('api.EmbedRequest', {
  model: stringField,
  input: rawField,
  keep_alive: keepAlive,
  truncate: booleanField,
  dimensions: integerField,
  options: optionMap,
});
const legacyFields = structOf('api.EmbeddingRequest', {
  model: stringField,
  prompt: stringField,
  keep_alive: keepAlive,
  options: optionMap,
});

export async function ollamaEmbed(
  services: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const body = decodeBody(embedFields, await readBodyJson(request, signal));
  const model = body.model ?? '';
  const texts = readTexts(body.input);
  const embedRequest: EmbedRequest = {
    model,
    texts,
    truncate: body.truncate ?? true,
    dimensions: body.dimensions ?? 0,
    options: await readEmbedOptions(body.options, model, services.registry),
    ...(body.keep_alive !== undefined && { keepAlive: body.keep_alive }),
  };
  // A request that only loads the model is answered without durations.
  const duration = (nanoseconds: number) =>
    texts.length > 0 ? omitIfEmpty(Math.round(nanoseconds)) : undefined;
  return respondWithVectors(
    services,
    embedRequest,
    ({ vectors, promptTokens, totalDuration, loadDuration }) => ({
      model,
      embeddings: vectors.map((vector) => Array.from(vector, shortestFloat32)),
      total_duration: duration(totalDuration),
      load_duration: duration(loadDuration),
      prompt_eval_count: omitIfEmpty(promptTokens),
    }),
    (error) => error,
    signal,
  );
}

export async function legacyEmbeddings(
  services: LocalModelServices,
  { request, signal }: RouteCall,
): Promise<Response> {
  const body = decodeBody(legacyFields, await readBodyJson(request, signal));
  const model = body.model ?? '';
  requireModel(model);
  // An invalid name is an error of the request, also where a text that the model refuses is one of the server.
  services.registry.parse(localName(model));
  const embedRequest: EmbedRequest = {
    model,
    texts: body.prompt ? [body.prompt] : [],
    truncate: false,
    dimensions: 0,
    options: await readEmbedOptions(body.options, model, services.registry),
    ...(body.keep_alive !== undefined && { keepAlive: body.keep_alive }),
  };
  const toServerError = (error: unknown) => {
    // Ollama answers a text that the model refuses as an error of the server on this route.
    const isRefused =
      error instanceof ApiError && embedRequest.texts.length > 0 && [400, 501].includes(error.status);
    return isRefused ? new ApiError(500, error.message, { cause: error }) : error;
  };
  return respondWithVectors(
    services,
    embedRequest,
    ({ vectors }) => ({ embedding: Array.from(vectors[0] ?? []) }),
    toServerError,
    signal,
  );
}

/** Many texts take long. The head is sent early, because some platforms notice a disconnect only after it. */
function respondWithVectors(
  { host, textService }: LocalModelServices,
  embedRequest: EmbedRequest,
  print: (result: EmbedResult) => object,
  translateError: (error: unknown) => unknown,
  signal: AbortSignal,
): Promise<Response> {
  return earlyResponseHead(
    async (head) => {
      const begun = () => head.sendWithin(host.capabilities.maxHeadDelayAfterStart);
      return jsonResponse(print(await textService.embed(embedRequest, head.signal, begun)));
    },
    {
      clock: host.clock,
      within: HEAD_WITHIN,
      contentType: JSON_TYPE,
      failure: (error) => nativeError(translateError(error)),
      lateError: (body) => body,
    },
    signal,
  );
}

function readTexts(input: JsonNode | undefined): string[] {
  const invalid = new ApiError(400, 'invalid input type');
  switch (input?.type) {
    case undefined:
    case 'null':
      return [];
    case 'string':
      return input.value === '' ? [] : [input.value];
    case 'array':
      return input.items.map((item) => {
        if (item.type !== 'string') throw invalid;
        return item.value;
      });
    default:
      throw invalid;
  }
}

/** Throws for a wrong option only when the model is installed; otherwise the error for a missing model follows. */
async function readEmbedOptions(
  members: [string, JsonNode | undefined][] | undefined,
  requestedName: string,
  registry: ModelRegistry,
): Promise<ModelOptions> {
  try {
    return readOptions(members);
  } catch (error) {
    if (await registry.find(registry.parse(localName(requestedName)))) throw error;
    return {};
  }
}
