/** `input` of a Responses request: text, or the items of a conversation. */
import {
  ApiError,
  decodeBody,
  type JsonDecoder,
  type JsonNode,
  JsonSyntaxError,
  MAX_JSON_NESTING,
  parseJson,
  rawField,
  stringField,
  structOf,
} from '#core/http';
import type { Message } from '#core/local-models/base/messages.ts';
import { toolArguments } from '#core/local-models/runs/tool-fields.ts';
import { decodeImageUrl } from '../message-content.ts';
import { ConversationBuilder, type ItemContent } from './conversation.ts';

const GO_ITEM = 'struct { Type string "json:\\"type\\""; Role string "json:\\"role\\"" }';
const kindFields = structOf(GO_ITEM, { type: stringField, role: stringField });
const textFields = structOf('openai.ResponsesTextContent', { text: stringField });
const outputTextFields = structOf('openai.ResponsesOutputTextContent', { text: stringField });
const imageFields = structOf('openai.ResponsesImageContent', {
  detail: stringField,
  file_id: stringField,
  image_url: stringField,
});
const messageFields = structOf('', { role: stringField, content: rawField });
const callFields = structOf('openai.ResponsesFunctionCall', {
  call_id: stringField,
  name: stringField,
  namespace: stringField,
  arguments: stringField,
});
const outputFields = structOf('', { call_id: stringField, output: rawField });
const reasoningFields = structOf('openai.ResponsesReasoningInput', {
  encrypted_content: stringField,
  summary: rawField,
});

const read = <T extends object>(decoder: JsonDecoder<T>, root: JsonNode) =>
  decodeBody(decoder, { source: '', root });

/** Runs `work`. Its ApiError gets the place as a prefix. */
function atPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(error.status, `${place}: ${error.message}`) : error;
  }
}

function listOf(node: JsonNode, what: string): JsonNode[] {
  if (node.type === 'array') return node.items;
  throw new ApiError(
    400,
    `${what} must be a string or array: json: cannot unmarshal ${node.type} into Go value of type []json.RawMessage`,
  );
}

/**
 * A piece that is read, but not yet converted. Errors of reading come first, even those of later items; errors for
 * unsupported content follow at conversion.
 */
type UnconvertedContent = () => { text?: string; image?: Uint8Array };

function readPiece(node: JsonNode): UnconvertedContent {
  const type = read(kindFields, node).type ?? '';
  switch (type) {
    case 'input_text':
    case 'output_text': {
      const content = read(type === 'input_text' ? textFields : outputTextFields, node);
      return () => content;
    }
    case 'input_image': {
      const { image_url: url } = read(imageFields, node);
      return () => (url ? { image: decodeImageUrl(url) } : {});
    }
    case 'input_file':
      return () => {
        throw new ApiError(400, 'file inputs are not currently supported');
      };
    default:
      throw new ApiError(400, `unknown content type: ${type}`);
  }
}

function readContent(node: JsonNode | undefined, what: string): () => ItemContent {
  if (!node || node.type === 'null') return () => ({ content: '', images: [] });
  if (node.type === 'string') return () => ({ content: node.value, images: [] });
  const pieces = listOf(node, what).map((piece, i) => atPlace(`${what}[${i}]`, () => readPiece(piece)));
  return () => {
    const contents = pieces.map((piece) => piece());
    return {
      content: contents.map(({ text }) => text ?? '').join(''),
      images: contents.flatMap(({ image }) => (image ? [image] : [])),
    };
  };
}

function readArguments(text: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    return decodeBody(toolArguments, parseJson(text, MAX_JSON_NESTING));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof ApiError)) throw error;
    throw new ApiError(400, `failed to parse function call arguments: ${error.message}`);
  }
}

function readReasoning(node: JsonNode): string {
  const { encrypted_content: encrypted, summary } = read(reasoningFields, node);
  if (encrypted) return encrypted;
  const parts = summary?.type === 'array' ? summary.items : [];
  return parts.map((part) => read(textFields, part).text ?? '').join('\n');
}

function readItem(node: JsonNode): (conversation: ConversationBuilder) => void {
  const { type = '', role = '' } = read(kindFields, node);
  switch (type === '' && role !== '' ? 'message' : type) {
    case 'message': {
      const content = readContent(read(messageFields, node).content, 'content');
      return (conversation) => conversation.addMessage(role.toLowerCase(), content());
    }
    case 'function_call': {
      const { call_id: id = '', name = '', namespace, arguments: args = '' } = read(callFields, node);
      const fullName = namespace ? `${namespace}.${name}` : name;
      return (conversation) => conversation.addCall(id, fullName, readArguments(args));
    }
    case 'function_call_output': {
      const { call_id: id = '', output } = read(outputFields, node);
      const content = readContent(output, 'output');
      return (conversation) => conversation.addResult(id, content());
    }
    case 'reasoning': {
      const thinking = readReasoning(node);
      return (conversation) => conversation.addReasoning(thinking);
    }
    case 'web_search_call':
      // The assistant's message that follows contains the results.
      return () => {};
    case '':
      throw new ApiError(400, "input item missing required 'type' field");
    default:
      throw new ApiError(400, `unknown input item type: ${JSON.stringify(type)}`);
  }
}

/**
 * Reads the input.
 * @returns a function that converts it, which throws ApiError 400 for unsupported content
 * @throws ApiError 400 for input that cannot be read
 */
export function readInput(input: JsonNode | undefined): () => Message[] {
  if (!input || input.type === 'null') return () => [];
  if (input.type === 'string')
    return () => (input.value === '' ? [] : [{ role: 'user', content: input.value }]);
  const items = listOf(input, 'input').map((item, i) => atPlace(`input[${i}]`, () => readItem(item)));
  return () => {
    const conversation = new ConversationBuilder();
    for (const add of items) add(conversation);
    return conversation.finish();
  };
}
