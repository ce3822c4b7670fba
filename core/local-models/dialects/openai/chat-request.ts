import {
  ApiError,
  arrayOf,
  booleanField,
  type DecodedValue,
  decodeBody,
  float64Field,
  integerField,
  type JsonDocument,
  JsonSyntaxError,
  MAX_JSON_NESTING,
  parseJson,
  rawField,
  stringField,
  structOf,
  toPlainObject,
} from '#core/http';
import type { Message, ToolCall } from '../../base/messages.ts';
import type { ModelOptions } from '../../base/model-options.ts';
import { checkTopLogprobs } from '../../runs/logprobs.ts';
import { localName, requireModel } from '../../runs/model-name.ts';
import type { AnswerFormat, ChatRequest } from '../../runs/requests.ts';
import { tool } from '../../runs/tool-fields.ts';
import { type DialectRequest, RUN_DEFAULTS } from '../dialect-request.ts';
import { readContent } from './message-content.ts';
import { readSharedOptions } from './options.ts';
import { readEffort } from './reasoning-effort.ts';

const toolCallFields = structOf('openai.ToolCall', {
  id: stringField,
  index: integerField,
  type: stringField,
  function: structOf('openai.Function', { name: stringField, arguments: stringField }),
});

const messageFields = structOf('openai.Message', {
  role: stringField,
  content: rawField,
  reasoning: stringField,
  tool_calls: arrayOf(toolCallFields, '[]openai.ToolCall'),
  name: stringField,
  tool_call_id: stringField,
});

const requestFields = structOf('openai.ChatCompletionRequest', {
  model: stringField,
  messages: arrayOf(messageFields, '[]openai.Message'),
  stream: booleanField,
  stream_options: structOf('openai.StreamOptions', { include_usage: booleanField }),
  max_tokens: integerField,
  seed: integerField,
  stop: rawField,
  temperature: float64Field,
  frequency_penalty: float64Field,
  presence_penalty: float64Field,
  top_p: float64Field,
  response_format: structOf('openai.ResponseFormat', {
    type: stringField,
    json_schema: structOf('openai.JsonSchema', { schema: rawField }),
  }),
  tools: arrayOf(tool, '[]api.Tool'),
  reasoning: structOf('openai.Reasoning', { effort: stringField }),
  reasoning_effort: stringField,
  logprobs: booleanField,
  top_logprobs: integerField,
  _debug_render_only: booleanField,
});

type Body = DecodedValue<typeof requestFields>;
type WireMessage = DecodedValue<typeof messageFields>;

function readToolCalls(calls: WireMessage['tool_calls']): ToolCall[] | undefined {
  return calls?.map((call) => {
    try {
      const { root } = parseJson(call?.function?.arguments ?? '', MAX_JSON_NESTING);
      if (root.type === 'object')
        return { id: call?.id, name: call?.function?.name ?? '', arguments: toPlainObject(root) };
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
    }
    throw new ApiError(400, 'invalid tool call arguments');
  });
}

/** Templates need the name of the tool, but a tool's result names its call by id only. */
function toolNameOf(message: WireMessage, all: WireMessage[]): string | undefined {
  if (message.role?.toLowerCase() !== 'tool') return undefined;
  if (message.name) return message.name;
  const calls = all.flatMap((other) => other.tool_calls ?? []);
  return calls.findLast((call) => call?.id && call.id === message.tool_call_id)?.function?.name;
}

function readMessages(body: Body): Message[] {
  const all = (body.messages ?? []).map((message) => message ?? {});
  return all.flatMap((message) =>
    readContent((message.role ?? '').toLowerCase(), message.content, {
      thinking: message.reasoning,
      toolCalls: readToolCalls(message.tool_calls),
      toolName: toolNameOf(message, all),
      toolCallId: message.tool_call_id,
    }),
  );
}

function readOptions(body: Body): ModelOptions {
  const options: ModelOptions = { ...readSharedOptions(body), top_p: body.top_p ?? 1 };
  const { stop } = body;
  if (stop?.type === 'string') options.stop = [stop.value];
  if (stop?.type === 'array')
    options.stop = stop.items.flatMap((item) => (item.type === 'string' ? [item.value] : []));
  return options;
}

function readFormat({ response_format: format }: Body): AnswerFormat | undefined {
  if (format?.type === 'json_object') return 'json';
  const schema = format?.type === 'json_schema' ? format.json_schema?.schema : undefined;
  return schema?.type === 'object' ? toPlainObject(schema) : undefined;
}

export interface ChatCompletionRequest extends DialectRequest<ChatRequest> {
  includeUsage: boolean;
}

/**
 * Translates a request of /v1/chat/completions.
 * @throws ApiError 400 for a body that cannot be read
 */
export function readChatCompletion(document: JsonDocument): ChatCompletionRequest {
  const body = decodeBody(requestFields, document);
  if (!body.messages?.length) throw new ApiError(400, "[] is too short - 'messages'");
  const translated = {
    messages: readMessages(body),
    options: readOptions(body),
    format: readFormat(body),
    think: readEffort(body.reasoning ? body.reasoning.effort : body.reasoning_effort),
  };
  const requestedName = body.model ?? '';
  return {
    requestedName,
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage ?? false,
    toRequest() {
      checkTopLogprobs(body.top_logprobs ?? 0);
      requireModel(requestedName.trim());
      return {
        ...translated,
        model: localName(requestedName),
        tools: (body.tools ?? []).filter((entry) => entry !== undefined),
        ...RUN_DEFAULTS,
        logprobs: body.logprobs ?? false,
        topLogprobs: body.top_logprobs ?? 0,
        debugRenderOnly: body._debug_render_only ?? false,
      };
    },
  };
}
