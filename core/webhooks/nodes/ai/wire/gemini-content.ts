/** Google's generation of content. */
import { isObject } from '#core/base';
import { readEvents } from '#core/http';
import type {
  ChatAnswer,
  ChatMessage,
  ChatRequest,
  ContentPart,
  JsonSchema,
} from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { type ModelServer, readJson, requestModel } from './model-request.ts';
import { readToolCalls, type WrittenCall } from './tool-arguments.ts';

/** @param options the model with or without `models/`, and the settings of the generation */
export function askGemini(
  context: Pick<NodeContext, 'signal'>,
  server: ModelServer,
  options: { model: string; settings: object },
  request: ChatRequest,
): Promise<ChatAnswer> {
  const stream = request.streamed === true || request.onText !== undefined;
  const system = request.messages.flatMap((message) =>
    message.role === 'system' ? [{ text: message.content }] : [],
  );
  const body = {
    contents: request.messages.flatMap(content),
    generationConfig: options.settings,
    ...(system.length > 0 && { systemInstruction: { role: 'system', parts: system } }),
    ...(request.tools?.length && {
      tools: [
        {
          functionDeclarations: request.tools.map(({ name, description, schema }) => ({
            name,
            description,
            parameters: openSchema(schema),
          })),
        },
      ],
    }),
  };
  const name = options.model.replace(/^models\//, '');
  const path = `/v1beta/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  return requestModel(context, server, { path, body }, async (response) =>
    stream ? readStream(response, request.onText) : readParts([await readJson(response)]),
  );
}

/** The API knows neither dialects nor closed objects. */
export function openSchema(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === '$schema' || key === 'additionalProperties' || key === 'default' ? undefined : value,
    ),
  ) as JsonSchema;
}

function content(message: ChatMessage): object[] {
  if (message.role === 'system') return [];
  if (message.role === 'tool') {
    const response = { result: message.content };
    return [{ role: 'function', parts: [{ functionResponse: { name: message.name, response } }] }];
  }
  if (message.role === 'user') {
    const parts =
      typeof message.content === 'string' ? [{ text: message.content }] : message.content.map(contentPart);
    return [{ role: 'user', parts }];
  }
  const calls = (message.toolCalls ?? []).map(({ name, args }) => ({ functionCall: { name, args } }));
  const text =
    typeof message.content === 'string' && message.content !== '' ? [{ text: message.content }] : [];
  return [{ role: 'model', parts: [...text, ...calls] }];
}

function contentPart(part: ContentPart): object {
  if (part.type === 'text') return { text: part.text };
  const [, mimeType, data] = /^data:(.*?);base64,(.*)$/s.exec(part.image_url.url) ?? [];
  return data ? { inlineData: { mimeType, data } } : { fileData: { fileUri: part.image_url.url } };
}

interface Part {
  text?: string;
  thought?: boolean;
  functionCall?: { name?: string; args?: unknown };
}

function partsOf(answer: Record<string, unknown>): Part[] {
  const [candidate] = Array.isArray(answer.candidates) ? answer.candidates : [];
  const found: unknown = isObject(candidate) && isObject(candidate.content) ? candidate.content.parts : [];
  return Array.isArray(found) ? (found as Part[]) : [];
}

function readParts(answers: Record<string, unknown>[]): ChatAnswer {
  const parts = answers.flatMap(partsOf);
  const calls: WrittenCall[] = parts.flatMap(({ functionCall }) =>
    functionCall ? [{ id: crypto.randomUUID(), name: functionCall.name ?? '', args: functionCall.args }] : [],
  );
  const usage = answers.at(-1)?.usageMetadata;
  return {
    text: parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join(''),
    ...readToolCalls(calls),
    hasMessage: true,
    ...(isObject(usage) && {
      usage: {
        completionTokens: Number(usage.candidatesTokenCount ?? 0),
        promptTokens: Number(usage.promptTokenCount ?? 0),
        totalTokens: Number(usage.totalTokenCount ?? 0),
      },
    }),
  };
}

async function readStream(response: Response, onText: ChatRequest['onText']): Promise<ChatAnswer> {
  const answers: Record<string, unknown>[] = [];
  for await (const event of readEvents(response.body)) {
    if (isObject(event.error)) throw new Error(String(event.error.message ?? 'The stream failed'));
    answers.push(event);
    for (const { text, thought } of partsOf(event)) if (text && !thought) await onText?.(text);
  }
  return readParts(answers);
}
