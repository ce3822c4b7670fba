/** Decoders of fields that several native requests share. The names of Go types appear in error texts. */
import {
  ApiError,
  array,
  Base64Error,
  bool,
  custom,
  type Decoded,
  type Decoder,
  decodeBase64,
  float64,
  int,
  type JsonNode,
  map,
  mismatch,
  raw,
  string,
  struct,
} from '#core/http';
import type { Message, ToolCall } from '../base/messages.ts';
import { toolArguments } from '../runs/tool-fields.ts';
import { keepAlive } from './keep-alive.ts';
import { think } from './think.ts';

/** A file in base64. */
export const imageData: Decoder<Uint8Array> = {
  goType: 'api.ImageData',
  decode(node, place) {
    if (node.type === 'null') return undefined;
    if (node.type !== 'string') return mismatch(node, 'api.ImageData', place);
    try {
      return decodeBase64(node.value);
    } catch (error) {
      if (!(error instanceof Base64Error)) throw error;
      place.errors.push(new ApiError(400, error.message));
      return undefined;
    }
  },
};

const toolCall = struct('api.ToolCall', {
  id: string,
  function: struct('api.ToolCallFunction', { index: int, name: string, arguments: toolArguments }),
});

const messageFields = struct('api.Message', {
  role: string,
  content: string,
  thinking: string,
  images: array(imageData, '[]api.ImageData'),
  tool_calls: array(toolCall, '[]api.ToolCall'),
  tool_name: string,
  tool_call_id: string,
});

export const message = custom('api.Message', (node, place) => messageFields.decode(node, place));

export function readToolCall(call: Decoded<typeof toolCall>): ToolCall {
  return { id: call.id, name: call.function?.name ?? '', arguments: call.function?.arguments ?? {} };
}

export function readMessage(fields: Decoded<typeof messageFields>): Message {
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
const option: Decoder<JsonNode> = {
  goType: 'interface {}',
  decode(node, place) {
    if (node.type === 'number') float64.decode(node, place);
    return node;
  },
};
export const optionMap = map(option, 'map[string]interface {}');

/** Fields of /api/chat and /api/generate alike. */
export const runFields = {
  model: string,
  stream: bool,
  format: raw,
  keep_alive: keepAlive,
  options: optionMap,
  think,
  truncate: bool,
  shift: bool,
  logprobs: bool,
  top_logprobs: int,
  _debug_render_only: bool,
};
