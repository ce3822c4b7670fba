/** From an OpenAI completion request to the internal one. */
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
import { modelNotFound } from '../../routes/run-request.ts';
import { localName } from '../../runs/model-name.ts';
import type { GenerateTextRequest } from '../../runs/requests.ts';
import { GO_TYPES } from './content.ts';

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
  const options: ModelOptions = {
    temperature: body.temperature ?? 1,
    // Zero and absent are the same here, unlike for the temperature.
    top_p: body.top_p || 1,
  };
  const stop = readStop(body.stop);
  if (stop) options.stop = stop;
  if (body.max_tokens !== undefined) options.num_predict = body.max_tokens;
  if (body.seed !== undefined) options.seed = body.seed;
  if (body.frequency_penalty !== undefined) options.frequency_penalty = body.frequency_penalty;
  if (body.presence_penalty !== undefined) options.presence_penalty = body.presence_penalty;
  return options;
}

export interface CompletionRequest {
  /** The model as the client spelled it. */
  spelled: string;
  stream: boolean;
  includeUsage: boolean;
  /** Checks that the native handler makes come after the translation, and fail in its way. */
  toRequest(): GenerateTextRequest;
}

/** Throws ApiError 400 for what cannot be read. */
export function readCompletion(document: JsonDocument): CompletionRequest {
  const body = decodeBody(requestFields, document);
  const options = readOptions(body);
  const spelled = body.model ?? '';
  return {
    spelled,
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage ?? false,
    toRequest() {
      if (spelled.trim() === '') throw modelNotFound(spelled);
      return {
        model: localName(spelled),
        prompt: body.prompt ?? '',
        suffix: omitIfEmpty(body.suffix),
        options,
        raw: false,
        truncate: true,
        shift: true,
        logprobs: false,
        topLogprobs: 0,
        debugRenderOnly: body._debug_render_only ?? false,
      };
    },
  };
}
