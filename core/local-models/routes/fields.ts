/** Descriptions of what native requests share. Go's type names appear in error texts. */
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
  toPlainObject,
} from '#core/http';
import type { Message, Tool, ToolCall } from '../base/messages.ts';
import { keepAlive } from './keep-alive.ts';
import { think } from './think.ts';

/** Image files in base64. */
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

/** `{"city": "Paris"}`; history that holds JSON in a string is refused as recorded. */
export const toolArguments = customField('api.ToolCallFunctionArguments', (node) => {
  if (node.type === 'null') return undefined;
  if (node.type === 'object') return toPlainObject(node);
  throw new ApiError(400, "Value looks like object, but can't find closing '}' symbol");
});

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

export function readToolCall(call: DecodedValue<typeof toolCall>): ToolCall {
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

const propertyType = customField('api.PropertyType', (node, place) =>
  node.type === 'array' ? arrayOf(stringField).decode(node, place) : stringField.decode(node, place),
);
const toolProperty: JsonDecoder<object> = {
  goType: 'api.ToolProperty',
  decode: (node, place) => toolPropertyFields.decode(node, place),
};
const toolProperties = customField('api.ToolPropertiesMap', (node, place) =>
  mapOf(toolProperty, 'map[string]api.ToolProperty').decode(node, place),
);
const toolPropertyFields = structOf('api.ToolProperty', {
  anyOf: arrayOf(toolProperty, '[]api.ToolProperty'),
  type: propertyType,
  description: stringField,
  enum: arrayOf(rawField, '[]interface {}'),
  properties: toolProperties,
});
/** The JSON schema of what a tool takes, as far as it is looked at. */
export const toolParameters = structOf('api.ToolFunctionParameters', {
  type: stringField,
  required: arrayOf(stringField),
  properties: toolProperties,
});
const toolFields = structOf('api.Tool', {
  type: stringField,
  function: structOf('api.ToolFunction', {
    name: stringField,
    description: stringField,
    parameters: toolParameters,
  }),
});

/** A tool, checked but handed on as the client sent it: templates print it. */
export const tool: JsonDecoder<Tool> = {
  goType: 'api.Tool',
  decode(node, place) {
    toolFields.decode(node, place);
    return node.type === 'object' ? toPlainObject(node) : undefined;
  },
};

/** Of any type; a number that no double holds is refused here already, whatever its name. */
const option: JsonDecoder<JsonNode> = {
  goType: 'interface {}',
  decode(node, place) {
    if (node.type === 'number') float64Field.decode(node, place);
    return node;
  },
};
export const optionMap = mapOf(option, 'map[string]interface {}');

/** Fields of chat and generate alike. */
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
