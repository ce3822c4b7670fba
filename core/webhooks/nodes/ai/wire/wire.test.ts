import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatRequest } from '../../../node-api/chat.ts';
import { askAnthropic } from './anthropic-messages.ts';
import { askGemini } from './gemini-content.ts';
import type { ModelServer } from './model-request.ts';
import { askOllama } from './ollama-chat.ts';
import { askOpenAiResponses } from './openai-responses.ts';

const context = { signal: new AbortController().signal };
const tools = [
  { name: 'add', description: 'adds', schema: { type: 'object', $schema: 'x', additionalProperties: false } },
];
const messages: ChatMessage[] = [
  { role: 'system', content: 'Be short' },
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: [], toolCalls: [{ id: 'c1', name: 'add', args: { a: 1 } }] },
  { role: 'tool', content: '2', toolCallId: 'c1', name: 'add' },
];

/** A server that answers with this body, and remembers what it was sent. */
function server(answer: string, type = 'application/json') {
  const sent: { url: string; body: unknown }[] = [];
  const model: ModelServer = {
    baseUrl: 'http://m',
    headers: {},
    errors: 'status',
    async fetch(url, init) {
      sent.push({ url, body: JSON.parse(String(init.body)) });
      return new Response(answer, { headers: { 'content-type': type } });
    },
  };
  return { model, sent };
}

const events = (...data: object[]) => data.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

describe('Anthropic', () => {
  it('joins messages of a speaker, and reads calls of tools', async () => {
    const { model, sent } = server(
      '{"content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"t","name":"add","input":{"a":2}}],"usage":{"input_tokens":1,"output_tokens":2}}',
    );
    const answer = await askAnthropic(context, model, { model: 'c', max_tokens: 9 }, { messages, tools });
    expect(answer).toMatchObject({
      text: 'ok',
      toolCalls: [{ id: 't', args: { a: 2 } }],
      usage: { totalTokens: 3 },
    });
    expect(sent[0]).toMatchObject({
      url: 'http://m/v1/messages',
      body: {
        system: 'Be short',
        tools: [{ name: 'add', input_schema: { type: 'object' } }],
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'add', input: { a: 1 } }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '2' }] },
        ],
      },
    });
  });

  it('reads a stream', async () => {
    const { model } = server(
      events(
        { index: 0, delta: { text: 'Hi ' } },
        { index: 0, delta: { text: 'you' } },
        { index: 1, content_block: { type: 'tool_use', id: 't', name: 'add' } },
        { index: 1, delta: { partial_json: '{"a":' } },
        { index: 1, delta: { partial_json: '1}' } },
      ),
      'text/event-stream',
    );
    const pieces: string[] = [];
    const onText: ChatRequest['onText'] = async (text) => void pieces.push(text);
    const answer = await askAnthropic(context, model, {}, { messages, onText });
    expect(pieces).toEqual(['Hi ', 'you']);
    expect(answer.toolCalls).toEqual([{ id: 't', name: 'add', args: { a: 1 } }]);
  });
});

it('Gemini has contents, and schemas without a dialect', async () => {
  const part =
    '{"candidates":[{"content":{"parts":[{"text":"ok"},{"functionCall":{"name":"add","args":{"a":2}}}]}}]}';
  const { model, sent } = server(part);
  const answer = await askGemini(context, model, { model: 'models/g', settings: {} }, { messages, tools });
  expect(answer).toMatchObject({ text: 'ok', toolCalls: [{ name: 'add', args: { a: 2 } }] });
  expect(sent[0]).toMatchObject({
    url: 'http://m/v1beta/models/g:generateContent',
    body: {
      systemInstruction: { parts: [{ text: 'Be short' }] },
      tools: [{ functionDeclarations: [{ name: 'add', parameters: { type: 'object' } }] }],
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'add', args: { a: 1 } } }] },
        { role: 'function', parts: [{ functionResponse: { name: 'add', response: { result: '2' } } }] },
      ],
    },
  });
});

it('Responses have items for calls and their results', async () => {
  const { model, sent } = server(
    '{"output":[{"type":"message","content":[{"type":"output_text","text":"ok"}]},{"type":"function_call","call_id":"t","name":"add","arguments":"{}"}]}',
  );
  const answer = await askOpenAiResponses(context, model, { model: 'm' }, { messages, tools });
  expect(answer).toMatchObject({ text: 'ok', toolCalls: [{ id: 't', args: {} }] });
  expect(sent[0]!.body).toMatchObject({
    input: [
      { type: 'message', role: 'system', content: 'Be short' },
      { type: 'message', role: 'user', content: 'Hi' },
      { type: 'function_call', name: 'add', arguments: '{"a":1}', call_id: 'c1' },
      { type: 'function_call_output', call_id: 'c1', output: '2' },
    ],
  });
});

it('Ollama streams lines', async () => {
  const { model, sent } = server(
    '{"message":{"content":"o"}}\n{"message":{"content":"k","tool_calls":[{"function":{"name":"add","arguments":{"a":3}}}]}}\n{"done":true}',
  );
  const answer = await askOllama(context, model, { model: 'm', options: {} }, { messages, tools });
  expect(answer).toMatchObject({ text: 'ok', toolCalls: [{ name: 'add', args: { a: 3 } }] });
  expect(sent[0]!.body).toMatchObject({
    stream: true,
    messages: [{}, {}, { tool_calls: [{ id: 'c1' }] }, { role: 'tool' }],
  });
});

it('an error within a stream fails', async () => {
  const { model } = server('{"error":"model runner stopped"}\n');
  const asking = askOllama(context, { ...model, errors: 'plain' }, {}, { messages });
  await expect(asking).rejects.toMatchObject({
    message: 'model runner stopped',
    context: { kind: 'ResponseError' },
  });
});
