/** POST /api/embed and its elder, POST /api/embeddings */
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
import type { ModelOptions } from '../base/model-options.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import { localName } from '../runs/model-name.ts';
import type { EmbedRequest, EmbedResult } from '../runs/requests.ts';
import type { LocalModels } from '../runs/services.ts';
import { JSON_TYPE, nativeFailure } from './errors.ts';
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
const embeddingFields = structOf('api.EmbeddingRequest', {
  model: stringField,
  prompt: stringField,
  keep_alive: keepAlive,
  options: optionMap,
});

export async function embed(models: LocalModels, { request, signal }: RouteCall) {
  const body = decodeBody(embedFields, await readBodyJson(request, signal));
  const spelled = body.model ?? '';
  const texts = readTexts(body.input);
  const asked = {
    model: spelled,
    texts,
    truncate: body.truncate ?? true,
    dimensions: body.dimensions ?? 0,
    options: await optionsOf(body.options, spelled, models.registry),
    ...(body.keep_alive !== undefined && { keepAlive: body.keep_alive }),
  };
  const told = texts.length > 0;
  return answer(
    models,
    asked,
    ({ vectors, promptTokens, totalDuration, loadDuration }) => ({
      model: spelled,
      embeddings: vectors.map((vector) => Array.from(vector, shortestFloat32)),
      total_duration: told ? omitIfEmpty(Math.round(totalDuration)) : undefined,
      load_duration: told ? omitIfEmpty(Math.round(loadDuration)) : undefined,
      prompt_eval_count: omitIfEmpty(promptTokens),
    }),
    (error) => error,
    signal,
  );
}

export async function oldEmbeddings(models: LocalModels, { request, signal }: RouteCall) {
  const body = decodeBody(embeddingFields, await readBodyJson(request, signal));
  const spelled = body.model ?? '';
  if (spelled === '') throw new ApiError(400, 'model is required');
  const asked = {
    model: spelled,
    texts: body.prompt ? [body.prompt] : [],
    truncate: false,
    dimensions: 0,
    options: await optionsOf(body.options, spelled, models.registry),
    ...(body.keep_alive !== undefined && { keepAlive: body.keep_alive }),
  };
  return answer(
    models,
    asked,
    ({ vectors }) => ({ embedding: Array.from(vectors[0] ?? []) }),
    (error) => {
      // What the model itself refuses is the server's failure on this route.
      const refused =
        error instanceof ApiError && asked.texts.length > 0 && [400, 501].includes(error.status);
      return refused ? new ApiError(500, error.message, { cause: error }) : error;
    },
    signal,
  );
}

/** Many texts take their time: the head goes out early, so that a reader that leaves is noticed. */
function answer(
  models: LocalModels,
  asked: EmbedRequest,
  print: (result: EmbedResult) => object,
  failure: (error: unknown) => unknown,
  signal: AbortSignal,
): Promise<Response> {
  return earlyResponseHead(
    async (head) => {
      const begun = () => head.sendWithin(models.host.capabilities.headWithinOfStart);
      return jsonResponse(print(await models.text.embed(asked, head.signal, begun)));
    },
    {
      clock: models.host.clock,
      within: HEAD_WITHIN,
      contentType: JSON_TYPE,
      failure: (error) => nativeFailure(failure(error)),
      lateError: (body) => body,
    },
    signal,
  );
}

function readTexts(input: JsonNode | undefined): string[] {
  const refused = new ApiError(400, 'invalid input type');
  switch (input?.type) {
    case undefined:
    case 'null':
      return [];
    case 'string':
      return input.value === '' ? [] : [input.value];
    case 'array':
      return input.items.map((item) => {
        if (item.type !== 'string') throw refused;
        return item.value;
      });
    default:
      throw refused;
  }
}

/** A wrong option says nothing about a missing model. */
async function optionsOf(
  members: [string, JsonNode | undefined][] | undefined,
  spelled: string,
  registry: ModelRegistry,
): Promise<ModelOptions> {
  try {
    return readOptions(members);
  } catch (error) {
    // A model that is not there is told by whoever looks it up.
    if (await registry.find(registry.parse(localName(spelled)))) throw error;
    return {};
  }
}
