/** Stock clients with tools, thinking and failures, over a real port; the model is scripted. */

import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { HumanMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOllama } from '@langchain/ollama';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  SCRIPTED_MODEL as model,
  type ScriptedPort,
  scriptedPort,
} from '../support/network/scripted-port.ts';

const CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>';
const parameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Name of the city' } },
  required: ['city'],
};
const question = 'How is the weather in Paris?';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

let port: ScriptedPort;

function script(prompt: string): string {
  if (prompt.includes('Crash')) {
    queueMicrotask(() => port.model().crash());
    return 'This will never be said to its end.';
  }
  const last = prompt.slice(prompt.lastIndexOf('<|im_start|>', prompt.length - 30));
  const thinks = !last.includes('</think>');
  const thinking = thinks ? '<think>\nLet me see.\n</think>\n\n' : '';
  if (prompt.includes('<tool_response>')) return `${thinking}It is 22 degrees in Paris.`;
  return prompt.includes('<tools>') ? thinking + CALL : `${thinking}I cannot know.`;
}

beforeAll(async () => {
  port = await scriptedPort(script);
});
afterAll(() => port?.close());

describe('openai', () => {
  const client = () => new OpenAI({ baseURL: `${port.url}/v1`, apiKey: 'any', maxRetries: 0 });

  test('a conversation with a tool, streamed', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }];
    const tools: OpenAI.ChatCompletionTool[] = [
      { type: 'function', function: { name: 'get_weather', description: 'Returns the weather', parameters } },
    ];
    const first = await client().chat.completions.stream({ model, messages, tools }).finalChatCompletion();
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const [call] = choice!.message.tool_calls!;
    expect(call).toMatchObject({
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
    });
    messages.push(choice!.message, { role: 'tool', tool_call_id: call!.id, content: '22C' });
    const second = await client().chat.completions.create({ model, messages, tools });
    expect(second.choices[0]?.message).toMatchObject({
      content: 'It is 22 degrees in Paris.',
      reasoning: expect.stringContaining('Let me see.'),
    });
  });

  test('responses with a tool, streamed', async () => {
    const tools: OpenAI.Responses.Tool[] = [
      { type: 'function', name: 'get_weather', description: 'Returns the weather', parameters, strict: true },
    ];
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: question }];
    const types: string[] = [];
    const runner = client().responses.stream({ model, input, tools });
    for await (const event of runner) types.push(event.type);
    const first = await runner.finalResponse();
    expect(types.at(-1)).toBe('response.completed');
    expect(types).toContain('response.reasoning_summary_text.delta');
    expect(types).toContain('response.function_call_arguments.done');
    expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
    const call = first.output[1] as OpenAI.Responses.ResponseFunctionToolCall;
    expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Paris"}' });
    const second = await client().responses.create({
      model,
      input: [
        ...input,
        ...(first.output as OpenAI.Responses.ResponseInput),
        { type: 'function_call_output', call_id: call.call_id, output: '22C' },
      ],
      tools,
    });
    expect(second.output_text).toBe('It is 22 degrees in Paris.');
  });

  test('thinks or not, as requested', async () => {
    const ask = (reasoning_effort: 'high' | 'none') =>
      client().chat.completions.create({
        model,
        reasoning_effort,
        messages: [{ role: 'user', content: 'Hm?' }],
      });
    expect((await ask('high')).choices[0]?.message).toMatchObject({
      reasoning: expect.stringContaining('Let me see.'),
    });
    expect((await ask('none')).choices[0]?.message).not.toHaveProperty('reasoning');
  });

  test('a failure in the middle of a stream is an error', async () => {
    const messages = [{ role: 'user' as const, content: 'Crash' }];
    const chat = await client().chat.completions.create({ model, messages, stream: true });
    await expect(all(chat)).rejects.toThrow(/model runner has unexpectedly stopped/);
    const events = await client().responses.create({ model, input: 'Crash', stream: true });
    expect((await all(events)).at(-1)).toMatchObject({
      type: 'response.failed',
      response: { error: { code: 'server_error', message: expect.stringContaining('unexpectedly stopped') } },
    });
  });
});

describe('@anthropic-ai/sdk', () => {
  const client = () => new Anthropic({ baseURL: port.url, apiKey: 'any', maxRetries: 0 });
  const tools: Anthropic.Tool[] = [
    {
      name: 'get_weather',
      description: 'Returns the weather',
      input_schema: { ...parameters, type: 'object' },
    },
  ];

  test('a conversation with a tool, streamed, with thinking', async () => {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: question }];
    const request = { model, max_tokens: 100, tools, messages };
    const thoughts: string[] = [];
    const first = await client()
      .messages.stream({ ...request, thinking: { type: 'enabled', budget_tokens: 1024 } })
      .on('thinking', (piece) => thoughts.push(piece))
      .finalMessage();
    expect(thoughts.join('').trim()).toBe('Let me see.');
    expect(first.stop_reason).toBe('tool_use');
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
    const use = first.content.find((block) => block.type === 'tool_use')!;
    expect(use).toMatchObject({ name: 'get_weather', input: { city: 'Paris' } });
    messages.push(
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: '22C' }] },
    );
    const second = await client().messages.create({ ...request, thinking: { type: 'disabled' } });
    expect(second).toMatchObject({
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'It is 22 degrees in Paris.' }],
    });
  });

  test('a failure in the middle of a stream is an error', async () => {
    const stream = client().messages.stream({
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Crash' }],
    });
    await expect(stream.finalMessage()).rejects.toThrow(/model runner has unexpectedly stopped/);
  });
});

describe('Vercel AI SDK', () => {
  const provider = () => createOpenAI({ baseURL: `${port.url}/v1`, apiKey: 'any' });
  const tools = {
    get_weather: tool({
      description: 'Returns the weather',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => `22C in ${city}`,
    }),
  };
  // The server stores no conversation, so the client sends all of it.
  const providerOptions = { openai: { store: false } };

  test.each(['chat', 'responses'] as const)('runs tools by /v1/%s', async (api) => {
    const { text, steps } = await generateText({
      model: provider()[api](model),
      prompt: question,
      tools,
      stopWhen: stepCountIs(3),
      providerOptions,
    });
    expect(text).toBe('It is 22 degrees in Paris.');
    expect(steps[0]?.toolResults).toMatchObject([{ toolName: 'get_weather', output: '22C in Paris' }]);
  });

  test('streams text and calls', async () => {
    const result = streamText({
      model: provider().responses(model),
      prompt: question,
      tools,
      stopWhen: stepCountIs(3),
      providerOptions,
    });
    const parts: string[] = [];
    for await (const part of result.fullStream) parts.push(part.type);
    expect(parts).toEqual(expect.arrayContaining(['tool-call', 'tool-result', 'text-delta', 'finish']));
    expect(parts).not.toContain('error');
    expect(await result.text).toBe('It is 22 degrees in Paris.');
  });
});

describe('LangChain', () => {
  test('ChatOllama calls tools, and streams', async () => {
    const weather = langchainTool(({ city }) => `22C in ${city}`, {
      name: 'get_weather',
      description: 'Returns the weather',
      schema: z.object({ city: z.string() }),
    });
    const chat = new ChatOllama({ model, baseUrl: port.url }).bindTools([weather]);
    const said = new HumanMessage(question);
    const answer = await chat.invoke([said]);
    expect(answer.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: 'Paris' } }]);
    const result = await weather.invoke(answer.tool_calls![0]!);
    let text = '';
    for await (const chunk of await chat.stream([said, answer, result])) text += chunk.content;
    expect(text).toBe('It is 22 degrees in Paris.');
  });
});

describe('ollama', () => {
  test('calls tools and thinks, streamed', async () => {
    const ollama = new Ollama({ host: port.url });
    const messages = [{ role: 'user', content: question }];
    const tools = [
      { type: 'function', function: { name: 'get_weather', description: 'Returns the weather', parameters } },
    ];
    const calls: unknown[] = [];
    let thinking = '';
    for await (const part of await ollama.chat({ model, messages, tools, think: true, stream: true })) {
      thinking += part.message.thinking ?? '';
      for (const call of part.message.tool_calls ?? []) calls.push(call.function);
    }
    expect(thinking.trim()).toBe('Let me see.');
    expect(calls).toMatchObject([{ name: 'get_weather', arguments: { city: 'Paris' } }]);
    const history = [
      ...messages,
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'get_weather', arguments: { city: 'Paris' } } }],
      },
      { role: 'tool', content: '22C', tool_name: 'get_weather' },
    ];
    const answer = await ollama.chat({ model, messages: history, tools, think: false });
    expect(answer.message.content).toBe('It is 22 degrees in Paris.');
  });
});
