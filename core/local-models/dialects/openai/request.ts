/** From an OpenAI chat request to the internal one. */
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
import { tool } from '../../routes/fields.ts';
import { checkModel, checkTopLogprobs } from '../../routes/run-request.ts';
import { localName } from '../../runs/model-name.ts';
import type { ChatRequest } from '../../runs/requests.ts';
import { readContent } from './content.ts';
import { readEffort } from './effort.ts';

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

/** A tool's answer names its call by id only; templates want the tool's name. */
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
  const options: ModelOptions = {
    temperature: body.temperature ?? 1,
    top_p: body.top_p ?? 1,
  };
  const { stop } = body;
  if (stop?.type === 'string') options.stop = [stop.value];
  if (stop?.type === 'array')
    options.stop = stop.items.flatMap((item) => (item.type === 'string' ? [item.value] : []));
  if (body.max_tokens !== undefined) options.num_predict = body.max_tokens;
  if (body.seed !== undefined) options.seed = body.seed;
  if (body.frequency_penalty !== undefined) options.frequency_penalty = body.frequency_penalty;
  if (body.presence_penalty !== undefined) options.presence_penalty = body.presence_penalty;
  return options;
}

function readFormat({ response_format: format }: Body): ChatRequest['format'] {
  if (format?.type === 'json_object') return 'json';
  const schema = format?.type === 'json_schema' ? format.json_schema?.schema : undefined;
  return schema?.type === 'object' ? toPlainObject(schema) : undefined;
}

export interface ChatCompletion {
  /** The model as the client spelled it. */
  spelled: string;
  stream: boolean;
  includeUsage: boolean;
  /** Checks that the native handler makes come after the translation, and fail in its way. */
  toRequest(): ChatRequest;
}

/** Throws ApiError 400 for what cannot be read. */
export function readChatCompletion(document: JsonDocument): ChatCompletion {
  const body = decodeBody(requestFields, document);
  if (!body.messages?.length) throw new ApiError(400, "[] is too short - 'messages'");
  const translated = {
    messages: readMessages(body),
    options: readOptions(body),
    format: readFormat(body),
    think: readEffort(body.reasoning ? body.reasoning.effort : body.reasoning_effort),
  };
  const spelled = body.model ?? '';
  return {
    spelled,
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage ?? false,
    toRequest() {
      checkTopLogprobs(body.top_logprobs ?? 0);
      checkModel(spelled);
      return {
        ...translated,
        model: localName(spelled),
        tools: (body.tools ?? []).filter((entry) => entry !== undefined),
        truncate: true,
        shift: true,
        logprobs: body.logprobs ?? false,
        topLogprobs: body.top_logprobs ?? 0,
        debugRenderOnly: body._debug_render_only ?? false,
      };
    },
  };
}
