/** Descriptions of what native requests share. Go's type names appear in error texts. */
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
  toRecord,
} from '#core/http';
import type { Message, Tool, ToolCall } from '../base/messages.ts';
import { keepAlive } from './keep-alive.ts';
import { think } from './think.ts';

/** Image files in base64. */
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

/** `{"city": "Paris"}`; history that holds JSON in a string is refused as recorded. */
export const toolArguments = custom('api.ToolCallFunctionArguments', (node) => {
  if (node.type === 'null') return undefined;
  if (node.type === 'object') return toRecord(node);
  throw new ApiError(400, "Value looks like object, but can't find closing '}' symbol");
});

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

const propertyType = custom('api.PropertyType', (node, place) =>
  node.type === 'array' ? array(string).decode(node, place) : string.decode(node, place),
);
const toolProperty: Decoder<object> = {
  goType: 'api.ToolProperty',
  decode: (node, place) => toolPropertyFields.decode(node, place),
};
const toolProperties = custom('api.ToolPropertiesMap', (node, place) =>
  map(toolProperty, 'map[string]api.ToolProperty').decode(node, place),
);
const toolPropertyFields = struct('api.ToolProperty', {
  anyOf: array(toolProperty, '[]api.ToolProperty'),
  type: propertyType,
  description: string,
  enum: array(raw, '[]interface {}'),
  properties: toolProperties,
});
/** The JSON schema of what a tool takes, as far as it is looked at. */
export const toolParameters = struct('api.ToolFunctionParameters', {
  type: string,
  required: array(string),
  properties: toolProperties,
});
const toolFields = struct('api.Tool', {
  type: string,
  function: struct('api.ToolFunction', {
    name: string,
    description: string,
    parameters: toolParameters,
  }),
});

/** A tool, checked but handed on as the client sent it: templates print it. */
export const tool: Decoder<Tool> = {
  goType: 'api.Tool',
  decode(node, place) {
    toolFields.decode(node, place);
    return node.type === 'object' ? toRecord(node) : undefined;
  },
};

/** Of any type; a number that no double holds is refused here already, whatever its name. */
const option: Decoder<JsonNode> = {
  goType: 'interface {}',
  decode(node, place) {
    if (node.type === 'number') float64.decode(node, place);
    return node;
  },
};
export const optionMap = map(option, 'map[string]interface {}');

/** Fields of chat and generate alike. */
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
