/** Decoders of fields that several native requests share. The names of Go types appear in error texts. */
import {
  ApiError,
  arrayOf,
  Base64Error,
  booleanField,
  customField,
  type DecodedValue,
  decodeBase64,
  float64Field,
  integerField,
  type JsonDecoder,
  type JsonNode,
  mapOf,
  rawField,
  reportMismatch,
  stringField,
  structOf,
} from '#core/http';
import type { Message, ToolCall } from '../base/messages.ts';
import { toolArguments } from '../runs/tool-fields.ts';
import { keepAlive } from './keep-alive.ts';
import { think } from './think.ts';

/** A file in base64. */
export const imageData: JsonDecoder<Uint8Array> = {
  goType: 'api.ImageData',
  decode(node, place) {
    if (node.type === 'null') return undefined;
    if (node.type !== 'string') return reportMismatch(node, 'api.ImageData', place);
    try {
      return decodeBase64(node.value);
    } catch (error) {
      if (!(error instanceof Base64Error)) throw error;
      place.errors.push(new ApiError(400, error.message));
      return undefined;
    }
  },
};

const toolCall = structOf('api.ToolCall', {
  id: stringField,
  function: structOf('api.ToolCallFunction', {
    index: integerField,
    name: stringField,
    arguments: toolArguments,
  }),
});

const messageFields = structOf('api.Message', {
  role: stringField,
  content: stringField,
  thinking: stringField,
  images: arrayOf(imageData, '[]api.ImageData'),
  tool_calls: arrayOf(toolCall, '[]api.ToolCall'),
  tool_name: stringField,
  tool_call_id: stringField,
});

export const message = customField('api.Message', (node, place) => messageFields.decode(node, place));

function readToolCall(call: DecodedValue<typeof toolCall>): ToolCall {
  return { id: call.id, name: call.function?.name ?? '', arguments: call.function?.arguments ?? {} };
}

export function readMessage(fields: DecodedValue<typeof messageFields>): Message {
  return {
    role: (fields.role ?? '').toLowerCase(),
    content: fields.content ?? '',
    thinking: fields.thinking,
    images: fields.images?.filter((image) => image !== undefined),
    toolCalls: fields.tool_calls?.map((call) => readToolCall(call ?? {})),
    toolName: fields.tool_name,
    toolCallId: fields.tool_call_id,
  };
}

/** An option of any type. A number beyond the doubles is refused here, even for an unknown option. */
const option: JsonDecoder<JsonNode> = {
  goType: 'interface {}',
  decode(node, place) {
    if (node.type === 'number') float64Field.decode(node, place);
    return node;
  },
};
export const optionMap = mapOf(option, 'map[string]interface {}');

/** Fields of /api/chat and /api/generate alike. */
export const runFields = {
  model: stringField,
  stream: booleanField,
  format: rawField,
  keep_alive: keepAlive,
  options: optionMap,
  think,
  truncate: booleanField,
  shift: booleanField,
  logprobs: booleanField,
  top_logprobs: integerField,
  _debug_render_only: booleanField,
};
