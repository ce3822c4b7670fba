/** Decoders of tools and their arguments. The names of Go types appear in error texts, as in Ollama's. */
import {
  ApiError,
  arrayOf,
  customField,
  type JsonDecoder,
  mapOf,
  rawField,
  stringField,
  structOf,
  toPlainObject,
} from '#core/http';
import type { Tool } from '../base/messages.ts';

/** An object such as `{"city": "Paris"}`. Ollama refuses arguments that are JSON in a string with this text. */
export const toolArguments = customField('api.ToolCallFunctionArguments', (node) => {
  if (node.type === 'null') return undefined;
  if (node.type === 'object') return toPlainObject(node);
  throw new ApiError(400, "Value looks like object, but can't find closing '}' symbol");
});

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
/** The JSON schema of a tool's parameters, as far as Ollama checks it. */
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

/** A tool, checked but returned exactly as the client sent it, because templates print it. */
export const tool: JsonDecoder<Tool> = {
  goType: 'api.Tool',
  decode(node, place) {
    toolFields.decode(node, place);
    return node.type === 'object' ? toPlainObject(node) : undefined;
  },
};
