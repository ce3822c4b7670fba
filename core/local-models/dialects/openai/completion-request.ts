import {
  ApiError,
  booleanField,
  type DecodedValue,
  decodeBody,
  float32Field,
  integerField,
  type JsonDocument,
  omitIfEmpty,
  rawField,
  stringField,
  structOf,
} from '#core/http';
import type { ModelOptions } from '../../base/model-options.ts';
import { localName, modelNotFound } from '../../runs/model-name.ts';
import type { GenerateTextRequest } from '../../runs/requests.ts';
import { type DialectRequest, RUN_DEFAULTS } from '../dialect-request.ts';
import { GO_TYPES } from './message-content.ts';
import { readSharedOptions } from './options.ts';

const requestFields = structOf('openai.CompletionRequest', {
  model: stringField,
  prompt: stringField,
  frequency_penalty: float32Field,
  max_tokens: integerField,
  presence_penalty: float32Field,
  seed: integerField,
  stop: rawField,
  stream: booleanField,
  stream_options: structOf('openai.StreamOptions', { include_usage: booleanField }),
  temperature: float32Field,
  top_p: float32Field,
  suffix: stringField,
  logprobs: integerField,
  _debug_render_only: booleanField,
});

type Body = DecodedValue<typeof requestFields>;

function readStop(stop: Body['stop']): string[] | undefined {
  if (stop?.type === 'string') return [stop.value];
  if (stop?.type !== 'array') return undefined;
  return stop.items.map((item) => {
    if (item.type === 'string') return item.value;
    throw new ApiError(400, `invalid type for 'stop' field: ${GO_TYPES[item.type]}`);
  });
}

function readOptions(body: Body): ModelOptions {
  const stop = readStop(body.stop);
  // Ollama treats 0 as absent here, unlike in chats.
  return { ...readSharedOptions(body), top_p: body.top_p || 1, ...(stop && { stop }) };
}

export interface CompletionRequest extends DialectRequest<GenerateTextRequest> {
  includeUsage: boolean;
}

/**
 * Translates a request of /v1/completions.
 * @throws ApiError 400 for a body that cannot be read
 */
export function readCompletion(document: JsonDocument): CompletionRequest {
  const body = decodeBody(requestFields, document);
  const options = readOptions(body);
  const requestedName = body.model ?? '';
  return {
    requestedName,
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage ?? false,
    toRequest() {
      if (requestedName.trim() === '') throw modelNotFound(requestedName);
      return {
        model: localName(requestedName),
        prompt: body.prompt ?? '',
        suffix: omitIfEmpty(body.suffix),
        options,
        raw: false,
        ...RUN_DEFAULTS,
        debugRenderOnly: body._debug_render_only ?? false,
      };
    },
  };
}
