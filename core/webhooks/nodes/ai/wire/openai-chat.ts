/** OpenAI's chat completions, which many servers speak. */
import { isObject } from '#core/base';
import { readEvents } from '#core/http';
import type {
  ChatAnswer,
  ChatMessage,
  ChatRequest,
  TokenUsage,
  ToolDescription,
} from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { type ModelServer, readJson, requestModel } from './model-request.ts';
import { readToolCalls, type WrittenCall } from './tool-arguments.ts';

/** @param settings further fields of the body: the model, the temperature … */
export function askOpenAiChat(
  context: Pick<NodeContext, 'signal'>,
  server: ModelServer,
  settings: object,
  request: ChatRequest,
  path = '/chat/completions',
): Promise<ChatAnswer> {
  const stream = request.streamed === true || request.onText !== undefined;
  const body = {
    ...settings,
    stream,
    ...(request.tools?.length && { tools: request.tools.map(toolJson) }),
    ...(stream && { stream_options: { include_usage: true } }),
    messages: request.messages.map(messageJson),
  };
  return requestModel(context, server, { path, body }, async (response) =>
    stream ? readStream(response, request.onText) : readAnswer(await readJson(response)),
  );
}

function toolJson({ name, description, schema }: ToolDescription): object {
  return { type: 'function', function: { name, description, parameters: schema, strict: false } };
}

function messageJson(message: ChatMessage): object {
  if (message.role === 'tool') {
    return { role: 'tool', content: message.content, tool_call_id: message.toolCallId };
  }
  if (message.role !== 'assistant' || !message.toolCalls?.length) {
    return { role: message.role, content: message.content };
  }
  return {
    role: 'assistant',
    content: message.content,
    tool_calls: message.toolCalls.map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  };
}

interface ChoiceJson {
  message?: MessageJson;
  delta?: MessageJson;
  finish_reason?: string | null;
}

interface MessageJson {
  content?: string | null;
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[];
}

function readAnswer(answer: Record<string, unknown>): ChatAnswer {
  const [choice] = (Array.isArray(answer.choices) ? answer.choices : []) as ChoiceJson[];
  const usage = readUsage(answer.usage);
  const message = choice?.message;
  const written = (message?.tool_calls ?? []).map((call) => ({
    id: call.id ?? '',
    name: call.function?.name ?? '',
    args: call.function?.arguments,
  }));
  return {
    text: message?.content ?? '',
    ...readToolCalls(written),
    hasMessage: message !== undefined,
    ...(usage && { usage }),
    ...(choice?.finish_reason && { info: { finish_reason: choice.finish_reason } }),
  };
}

async function readStream(response: Response, onText: ChatRequest['onText']): Promise<ChatAnswer> {
  let text = '';
  let finish: string | undefined;
  let model: unknown;
  let usage: TokenUsage | undefined;
  const calls: (WrittenCall & { args: string })[] = [];
  for await (const event of readEvents(response.body)) {
    if (isObject(event.error)) throw new Error(String(event.error.message ?? 'The stream failed'));
    usage = readUsage(event.usage) ?? usage;
    const [choice] = (Array.isArray(event.choices) ? event.choices : []) as ChoiceJson[];
    if (!choice) continue;
    model = event.model ?? model;
    finish = choice.finish_reason ?? finish;
    const piece = choice.delta?.content ?? '';
    text += piece;
    if (piece !== '') await onText?.(piece);
    for (const [position, call] of (choice.delta?.tool_calls ?? []).entries()) {
      const index = call.index ?? position;
      calls[index] ??= { id: '', name: '', args: '' };
      calls[index].id ||= call.id ?? '';
      calls[index].name += call.function?.name ?? '';
      calls[index].args += call.function?.arguments ?? '';
    }
  }
  return {
    text,
    ...readToolCalls(calls.filter(Boolean)),
    hasMessage: true,
    ...(usage && { usage }),
    info: { prompt: 0, completion: 0, finish_reason: finish, model_name: model },
  };
}

/** @param usage OpenAI's numbers, of the chat or of the responses */
export function readUsage(usage: unknown): TokenUsage | undefined {
  if (!isObject(usage)) return undefined;
  return {
    completionTokens: Number(usage.completion_tokens ?? usage.output_tokens ?? 0),
    promptTokens: Number(usage.prompt_tokens ?? usage.input_tokens ?? 0),
    totalTokens: Number(usage.total_tokens ?? 0),
  };
}
