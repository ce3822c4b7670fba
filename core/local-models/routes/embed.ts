/** POST /api/embed and its elder, POST /api/embeddings */
import type { RouteCall } from '../../http/api.ts';
import { ApiError } from '../../http/api-error.ts';
import { readJson } from '../../http/body.ts';
import { bool, decodeBody, int, map, raw, string, struct } from '../../http/json/decode.ts';
import { shortFloat } from '../../http/json/float32.ts';
import type { JsonNode } from '../../http/json/parse.ts';
import { orOmit } from '../../http/json/print.ts';
import { jsonResponse } from '../../http/respond.ts';
import type { ModelRegistry } from '../registry/types.ts';
import type { ModelOptions } from '../types.ts';
import type { LocalModels } from './context.ts';
import { keepAlive } from './keep-alive.ts';
import { localName } from './model-name.ts';
import { readOptions } from './options.ts';

const options = map(raw, 'map[string]interface {}');
const embedFields = struct('api.EmbedRequest', {
  model: string,
  input: raw,
  keep_alive: keepAlive,
  truncate: bool,
  dimensions: int,
  options,
});
const embeddingFields = struct('api.EmbeddingRequest', {
  model: string,
  prompt: string,
  keep_alive: keepAlive,
  options,
});

export async function embed({ registry, text }: LocalModels, { request, signal }: RouteCall) {
  const body = decodeBody(embedFields, await readJson(request, signal));
  const spelled = body.model ?? '';
  const texts = readTexts(body.input);
  const { vectors, promptTokens, totalDuration, loadDuration } = await text.embed(
    {
      model: spelled,
      texts,
      truncate: body.truncate ?? true,
      dimensions: body.dimensions ?? 0,
      options: await optionsOf(body.options, spelled, registry),
      ...(body.keep_alive !== undefined && { keepAlive: body.keep_alive }),
    },
    signal,
  );
  const told = texts.length > 0;
  return jsonResponse({
    model: spelled,
    embeddings: vectors.map((vector) => Array.from(vector, shortFloat)),
    total_duration: told ? orOmit(Math.round(totalDuration)) : undefined,
    load_duration: told ? orOmit(Math.round(loadDuration)) : undefined,
    prompt_eval_count: orOmit(promptTokens),
  });
}

export async function oldEmbeddings({ registry, text }: LocalModels, { request, signal }: RouteCall) {
  const body = decodeBody(embeddingFields, await readJson(request, signal));
  const spelled = body.model ?? '';
  if (spelled === '') throw new ApiError(400, 'model is required');
  const asked = {
    model: spelled,
    texts: body.prompt ? [body.prompt] : [],
    truncate: false,
    dimensions: 0,
    options: await optionsOf(body.options, spelled, registry),
    ...(body.keep_alive !== undefined && { keepAlive: body.keep_alive }),
  };
  try {
    const { vectors } = await text.embed(asked, signal);
    return jsonResponse({ embedding: Array.from(vectors[0] ?? []) });
  } catch (error) {
    // What the model itself refuses is the server's failure on this route.
    const refused = error instanceof ApiError && asked.texts.length > 0 && [400, 501].includes(error.status);
    throw refused ? new ApiError(500, error.message, { cause: error }) : error;
  }
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
