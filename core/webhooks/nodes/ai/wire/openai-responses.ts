/** OpenAI's newer API: responses. */
import { isObject } from '#core/base';
import { readEvents } from '#core/http';
import type { ChatAnswer, ChatMessage, ChatRequest, ContentPart } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { type ModelServer, readJson, requestModel } from './model-request.ts';
import { readToolCalls } from './tool-arguments.ts';

/** @param settings further fields of the body: the model, the temperature … */
export function askOpenAiResponses(
  context: Pick<NodeContext, 'signal'>,
  server: ModelServer,
  settings: object,
  request: ChatRequest,
): Promise<ChatAnswer> {
  const stream = request.streamed === true || request.onText !== undefined;
  const body = {
    input: request.messages.flatMap(inputItems),
    ...settings,
    stream,
    ...(request.tools?.length && {
      tools: request.tools.map(({ name, description, schema }) => ({
        type: 'function',
        name,
        parameters: schema,
        description,
        strict: false,
      })),
    }),
    text: {},
  };
  return requestModel(context, server, { path: '/responses', body }, async (response) =>
    stream ? readStream(response, request.onText) : readAnswer(await readJson(response)),
  );
}

function inputItems(message: ChatMessage): object[] {
  if (message.role === 'tool') {
    return [{ type: 'function_call_output', call_id: message.toolCallId, output: message.content }];
  }
  if (message.role !== 'assistant') {
    const { role, content } = message;
    return [
      { type: 'message', role, content: typeof content === 'string' ? content : content.map(inputPart) },
    ];
  }
  const calls = (message.toolCalls ?? []).map(({ id, name, args }) => ({
    type: 'function_call',
    name,
    arguments: JSON.stringify(args),
    call_id: id,
  }));
  const isEmpty = typeof message.content !== 'string';
  return [...(isEmpty ? [] : [{ type: 'message', role: 'assistant', content: message.content }]), ...calls];
}

function inputPart(part: ContentPart): object {
  return part.type === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', image_url: part.image_url.url, detail: 'auto' };
}

interface OutputJson {
  type?: string;
  call_id?: string;
  name?: string;
  arguments?: string;
  content?: { type?: string; text?: string }[];
}

function readAnswer(answer: Record<string, unknown>): ChatAnswer {
  if (isObject(answer.error)) throw new Error(String(answer.error.message ?? 'The response failed'));
  const output = (Array.isArray(answer.output) ? answer.output : []) as OutputJson[];
  const written = output
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id: id = '', name = '', arguments: args }) => ({ id, name, args }));
  const text = output
    .filter(({ type }) => type === 'message')
    .flatMap(({ content }) => content ?? [])
    .map((part) => part.text ?? '')
    .join('');
  return { text, ...readToolCalls(written), hasMessage: true };
}

async function readStream(response: Response, onText: ChatRequest['onText']): Promise<ChatAnswer> {
  let text = '';
  for await (const event of readEvents(response.body)) {
    if (event.type === 'response.output_text.delta') {
      const piece = String(event.delta ?? '');
      text += piece;
      await onText?.(piece);
    }
    if (event.type === 'response.failed' || event.type === 'response.completed') {
      return readAnswer(event.response as Record<string, unknown>);
    }
  }
  return { text, toolCalls: [], hasInvalidCalls: false, hasMessage: true };
}
