/** Decoders of tools and their arguments. The names of Go types appear in error texts, as in Ollama's. */
import { ApiError, array, custom, type Decoder, map, raw, string, struct, toRecord } from '#core/http';
import type { Tool } from '../base/messages.ts';

/** An object such as `{"city": "Paris"}`. Ollama refuses arguments that are JSON in a string with this text. */
export const toolArguments = custom('api.ToolCallFunctionArguments', (node) => {
  if (node.type === 'null') return undefined;
  if (node.type === 'object') return toRecord(node);
  throw new ApiError(400, "Value looks like object, but can't find closing '}' symbol");
});

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
/** The JSON schema of a tool's parameters, as far as Ollama checks it. */
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

/** A tool, checked but returned exactly as the client sent it, because templates print it. */
export const tool: Decoder<Tool> = {
  goType: 'api.Tool',
  decode(node, place) {
    toolFields.decode(node, place);
    return node.type === 'object' ? toRecord(node) : undefined;
  },
};
