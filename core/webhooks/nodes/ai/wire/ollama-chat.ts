/** Ollama's chat, which also the models of this server speak. */

import { readLines } from '#core/http';
import type { ChatAnswer, ChatMessage, ChatRequest } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { type ModelServer, requestModel } from './model-request.ts';
import { readToolCalls, type WrittenCall } from './tool-arguments.ts';

/** @param settings further fields of the body: the model and its options */
export function askOllama(
  context: Pick<NodeContext, 'signal'>,
  server: ModelServer,
  settings: object,
  request: ChatRequest,
): Promise<ChatAnswer> {
  const body = {
    ...settings,
    messages: request.messages.flatMap(messageJson),
    ...(request.tools?.length && {
      tools: request.tools.map(({ name, description, schema }) => ({
        type: 'function',
        function: { name, description, parameters: schema },
      })),
    }),
    stream: true,
  };
  return requestModel(context, server, { path: '/api/chat', body }, (response) =>
    readStream(response, request.onText),
  );
}

function messageJson(message: ChatMessage): object[] {
  if (message.role === 'assistant') {
    const calls = (message.toolCalls ?? []).map(({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    }));
    const content = typeof message.content === 'string' ? message.content : '';
    return [{ role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }];
  }
  if (message.role === 'tool') return [{ role: 'tool', content: message.content }];
  if (typeof message.content === 'string') return [{ role: message.role, content: message.content }];
  return message.content.map((part) =>
    part.type === 'text'
      ? { role: 'user', content: part.text }
      : { role: 'user', content: '', images: [part.image_url.url.replace(/^data:.*?;base64,/, '')] },
  );
}

interface LineJson {
  error?: string;
  message?: {
    content?: string;
    tool_calls?: { id?: string; function?: { name?: string; arguments?: unknown } }[];
  };
}

async function readStream(response: Response, onText: ChatRequest['onText']): Promise<ChatAnswer> {
  let text = '';
  const written: WrittenCall[] = [];
  for await (const line of readLines(response.body)) {
    const { error, message } = JSON.parse(line) as LineJson;
    if (error !== undefined) throw Object.assign(new Error(error), { name: 'ResponseError' });
    const piece = message?.content ?? '';
    text += piece;
    if (piece !== '') await onText?.(piece);
    for (const call of message?.tool_calls ?? []) {
      written.push({
        id: call.id ?? crypto.randomUUID(),
        name: call.function?.name ?? '',
        args: call.function?.arguments,
      });
    }
  }
  return { text, ...readToolCalls(written), hasMessage: true };
}
