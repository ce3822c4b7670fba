/** Anthropic's messages. */
import { isObject } from '#core/base';
import { readEvents } from '#core/http';
import type {
  ChatAnswer,
  ChatMessage,
  ChatRequest,
  ContentPart,
  TokenUsage,
} from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { type ModelServer, readJson, requestModel } from './model-request.ts';
import { readToolCalls, type WrittenCall } from './tool-arguments.ts';

/** @param settings further fields of the body: the model, `max_tokens` … */
export function askAnthropic(
  context: Pick<NodeContext, 'signal'>,
  server: ModelServer,
  settings: object,
  request: ChatRequest,
): Promise<ChatAnswer> {
  const stream = request.streamed === true || request.onText !== undefined;
  const system = request.messages.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const body = {
    ...settings,
    stream,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    ...(request.tools?.length && {
      tools: request.tools.map(({ name, description, schema }) => ({
        name,
        description,
        input_schema: schema,
      })),
    }),
    messages: joined(request.messages),
  };
  return requestModel(context, server, { path: '/v1/messages', body }, async (response) =>
    stream ? readStream(response, request.onText) : readAnswer(await readJson(response)),
  );
}

interface Turn {
  role: 'user' | 'assistant';
  content: object[];
}

/** Speakers take turns: messages of the same speaker are joined. */
function joined(messages: ChatMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    const content = blocks(message);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

function blocks(message: Exclude<ChatMessage, { role: 'system' }>): object[] {
  if (message.role === 'tool') {
    return [{ type: 'tool_result', tool_use_id: message.toolCallId, content: message.content }];
  }
  if (message.role === 'user') {
    return typeof message.content === 'string'
      ? [{ type: 'text', text: message.content }]
      : message.content.map(partBlock);
  }
  const text = typeof message.content === 'string' && message.content !== '' ? message.content : undefined;
  return [
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...(message.toolCalls ?? []).map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ];
}

function partBlock(part: ContentPart): object {
  if (part.type === 'text') return part;
  const [, type, data] = /^data:(.*?);base64,(.*)$/s.exec(part.image_url.url) ?? [];
  return {
    type: 'image',
    source: data ? { type: 'base64', media_type: type, data } : { type: 'url', url: part.image_url.url },
  };
}

interface Block {
  type?: string;
  id?: string;
  name?: string;
  text?: string;
  input?: unknown;
}

function readAnswer(answer: Record<string, unknown>): ChatAnswer {
  const content = (Array.isArray(answer.content) ? answer.content : []) as Block[];
  const calls = content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id = '', name = '', input }) => ({ id, name, args: input }));
  const text = content.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('');
  const usage = usageOf(answer.usage);
  return { text, ...readToolCalls(calls), hasMessage: true, ...(usage && { usage }) };
}

function usageOf(usage: unknown): TokenUsage | undefined {
  if (!isObject(usage)) return undefined;
  const promptTokens = Number(usage.input_tokens ?? 0);
  const completionTokens = Number(usage.output_tokens ?? 0);
  return { completionTokens, promptTokens, totalTokens: promptTokens + completionTokens };
}

async function readStream(response: Response, onText: ChatRequest['onText']): Promise<ChatAnswer> {
  let text = '';
  const calls: (WrittenCall & { args: string })[] = [];
  for await (const event of readEvents(response.body)) {
    if (isObject(event.error)) throw new Error(String(event.error.message ?? 'The stream failed'));
    const index = Number(event.index ?? 0);
    const block = event.content_block as Block | undefined;
    if (block?.type === 'tool_use') calls[index] = { id: block.id ?? '', name: block.name ?? '', args: '' };
    const delta = isObject(event.delta) ? event.delta : {};
    if (typeof delta.text === 'string') {
      text += delta.text;
      await onText?.(delta.text);
    }
    if (typeof delta.partial_json === 'string' && calls[index]) calls[index].args += delta.partial_json;
  }
  return { text, ...readToolCalls(calls.filter(Boolean)), hasMessage: true };
}
