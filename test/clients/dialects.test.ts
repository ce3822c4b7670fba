/** Stock clients of the other dialects against the shim's real port, with real weights. */

import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { ChatOllama, OllamaEmbeddings } from '@langchain/ollama';
import { embed, generateText, Output, streamText } from 'ai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { modelVariant } from '../support/local-models/model-variants.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

const model = 'smollm2:135m';
const embedder = 'smollm2-embed:135m';
const question = 'What is the capital of France?';
const City = z.object({ city: z.enum(['Paris', 'London']), inhabitants: z.int().min(1).max(9) });

let home: string;
let shim: RunningShim;
let url: string;

beforeAll(async () => {
  home = await makeHome([
    { name: model, path: await modelVariant('smollm2') },
    { name: embedder, path: await modelVariant('smollm2-embed') },
  ]);
  shim = await startShim(home);
  url = `http://127.0.0.1:${shim.ports['local-models']}`;
});
afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
});

const length = (vector: number[]) => Math.hypot(...vector);

describe('openai', () => {
  const client = () => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });

  test('responses, complete and streamed', async () => {
    const request = { model, input: question, temperature: 0, max_output_tokens: 16 };
    const complete = await client().responses.create(request);
    expect(complete.output_text).toContain('Paris');
    const runner = client().responses.stream(request);
    let text = '';
    runner.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const final = await runner.finalResponse();
    expect(text).toBe(final.output_text);
    expect(final.usage?.total_tokens).toBe(complete.usage?.total_tokens);
  });

  test('structured answers', async () => {
    const messages = [{ role: 'user' as const, content: `${question} Answer in JSON.` }];
    const chat = await client().chat.completions.parse({
      model,
      messages,
      temperature: 0,
      max_tokens: 40,
      response_format: zodResponseFormat(City, 'city'),
    });
    expect(City.safeParse(chat.choices[0]?.message.parsed).success).toBe(true);
    const response = await client().responses.parse({
      model,
      input: messages,
      temperature: 0,
      max_output_tokens: 40,
      text: { format: zodTextFormat(City, 'city') },
    });
    expect(City.safeParse(response.output_parsed).success).toBe(true);
  });

  test('a text completion', async () => {
    const { choices } = await client().completions.create({
      model,
      prompt: question,
      temperature: 0,
      max_tokens: 16,
    });
    expect(choices[0]?.text).toContain('Paris');
  });

  test('audio is refused by a model without audio input', async () => {
    const file = new File([new Uint8Array(64)], 'a.wav', { type: 'audio/wav' });
    const refused = client().audio.transcriptions.create({ model, file });
    await expect(refused).rejects.toThrow(/does not support multimodal requests/);
  });
});

describe('@anthropic-ai/sdk', () => {
  const client = () => new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0 });
  const request = {
    model,
    max_tokens: 16,
    temperature: 0,
    messages: [{ role: 'user' as const, content: question }],
  };

  test('messages, complete and streamed', async () => {
    const message = await client().messages.create(request);
    expect(message).toMatchObject({ role: 'assistant', stop_reason: 'end_turn' });
    expect(message.content).toMatchObject([{ type: 'text', text: expect.stringContaining('Paris') }]);
    const stream = client().messages.stream(request);
    let text = '';
    stream.on('text', (piece) => {
      text += piece;
    });
    const final = await stream.finalMessage();
    expect(final.content).toMatchObject([{ type: 'text', text }]);
    expect(text).toContain('Paris');
    expect(final.usage.output_tokens).toBeGreaterThan(1);
  });

  test('errors arrive as errors', async () => {
    const missing = client().messages.create({ ...request, model: 'nope' });
    await expect(missing).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    const streamed = client()
      .messages.stream({ ...request, model: 'nope' })
      .finalMessage();
    await expect(streamed).rejects.toThrow("model 'nope' not found");
  });
});

describe('Vercel AI SDK', () => {
  const provider = () => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' });
  const settings = { prompt: question, temperature: 0, maxOutputTokens: 40 };

  test('text, streams and structured answers', async () => {
    const { text } = await generateText({ model: provider().chat(model), ...settings });
    expect(text).toContain('Paris');
    let streamed = '';
    for await (const piece of streamText({ model: provider().responses(model), ...settings }).textStream)
      streamed += piece;
    expect(streamed).toContain('Paris');
    const { output } = await generateText({
      model: provider().chat(model),
      ...settings,
      output: Output.object({ schema: City }),
    });
    expect(City.safeParse(output).success).toBe(true);
  });
});

describe('LangChain', () => {
  test('ChatOllama answers and streams', async () => {
    const chat = new ChatOllama({ model, baseUrl: url, temperature: 0, numPredict: 16 });
    expect((await chat.invoke(question)).content).toContain('Paris');
    const pieces: unknown[] = [];
    for await (const chunk of await chat.stream(question)) pieces.push(chunk.content);
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.join('')).toContain('Paris');
  });
});

describe('ollama', () => {
  test('creates, shows, copies and deletes a model', async () => {
    const ollama = new Ollama({ host: url });
    const steps: string[] = [];
    const created = await ollama.create({
      model: 'pirate',
      from: model,
      system: 'You are a pirate.',
      parameters: { temperature: 0, num_predict: 4 },
      stream: true,
    });
    for await (const { status } of created) steps.push(status);
    expect(steps.at(-1)).toBe('success');
    await ollama.copy({ source: 'pirate', destination: 'corsair' });
    const shown = await ollama.show({ model: 'corsair' });
    expect(shown).toMatchObject({ system: 'You are a pirate.', details: { parent_model: model } });
    const names = async () => (await ollama.list()).models.map(({ name }) => name);
    expect(await names()).toEqual(expect.arrayContaining(['pirate:latest', 'corsair:latest']));
    const said = await ollama.generate({ model: 'corsair', prompt: question });
    expect(said).toMatchObject({ done_reason: 'length', eval_count: 4 });
    for (const name of ['pirate', 'corsair']) await ollama.delete({ model: name });
    expect((await names()).sort()).toEqual([embedder, model].sort());
  });
});

describe('embeddings', () => {
  test('openai, which requests base64', async () => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
    const { data, usage } = await client.embeddings.create({ model: embedder, input: ['a cat', 'a dog'] });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([576, 576]);
    for (const { embedding } of data) expect(length(embedding)).toBeCloseTo(1, 4);
    expect(usage.prompt_tokens).toBeGreaterThan(3);
    const short = await client.embeddings.create({
      model: embedder,
      input: 'a cat',
      dimensions: 8,
      encoding_format: 'float',
    });
    expect(short.data[0]?.embedding).toHaveLength(8);
  });

  test('Vercel AI SDK', async () => {
    const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' });
    const { embedding } = await embed({ model: provider.embedding(embedder), value: 'a cat' });
    expect(length(embedding)).toBeCloseTo(1, 4);
  });

  test('OllamaEmbeddings of LangChain', async () => {
    const embeddings = new OllamaEmbeddings({ model: embedder, baseUrl: url });
    const [cat, bank] = await embeddings.embedDocuments([
      'A cat sleeps on the sofa.',
      'The bank raises its rates.',
    ]);
    const query = await embeddings.embedQuery('A cat sleeps on the sofa.');
    const similarity = (a: number[], b: number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
    expect(similarity(query, cat!)).toBeCloseTo(1, 3);
    expect(similarity(query, bank!)).toBeLessThan(0.999);
  });

  test('ollama', async () => {
    const { embeddings } = await new Ollama({ host: url }).embed({
      model: embedder,
      input: ['a cat', 'a dog'],
    });
    expect(embeddings.map(length)).toEqual([expect.closeTo(1, 4), expect.closeTo(1, 4)]);
  });
});
