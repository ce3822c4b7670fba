/** Stock clients against the shim's real port, with real weights. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeStateHome } from '../contract/transports/states.ts';
import { removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

const model = 'smollm2:135m';
const question = { role: 'user' as const, content: 'What is the capital of France?' };
const greedy = { temperature: 0, seed: 1, num_predict: 16 };
const run = promisify(execFile);

let home: string;
let shim: RunningShim;
let url: string;

beforeAll(async () => {
  home = await makeStateHome('ready');
  shim = await startShim(home);
  url = `http://127.0.0.1:${shim.ports['local-models']}`;
});
afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
});

describe('ollama', () => {
  test('lists, shows and runs', async () => {
    const ollama = new Ollama({ host: url });
    const { models } = await ollama.list();
    expect(models.map(({ name }) => name)).toEqual([model]);
    const shown = await ollama.show({ model });
    expect(shown.details).toMatchObject({ family: 'llama', quantization_level: 'Q4_1' });
    expect(shown.capabilities).toContain('completion');
    const answer = await ollama.chat({ model, messages: [question], options: greedy });
    expect(answer.message.content).toContain('Paris');
    expect(answer).toMatchObject({ done: true, done_reason: 'stop' });
    const { models: running } = await ollama.ps();
    expect(running.map(({ name }) => name)).toEqual([model]);
  });

  test('streams a chat and a generation', async () => {
    const ollama = new Ollama({ host: url });
    const pieces: string[] = [];
    for await (const part of await ollama.chat({
      model,
      messages: [question],
      stream: true,
      options: greedy,
    })) {
      pieces.push(part.message.content);
    }
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.join('')).toContain('Paris');
    let last: { done: boolean; response?: string } | undefined;
    const raw = {
      model,
      prompt: 'The capital of France is',
      raw: true,
      stream: true as const,
      options: greedy,
    };
    for await (const part of await ollama.generate(raw)) last = part;
    expect(last).toMatchObject({ done: true, response: '' });
  });

  test('an abort stops the work, and the model is free at once', async () => {
    const ollama = new Ollama({ host: url });
    const story = { role: 'user', content: 'Write a very long story about a dragon.' };
    const long = await ollama.chat({
      model,
      messages: [story],
      stream: true,
      options: { temperature: 0.8, seed: 3, num_predict: 4000 },
    });
    let count = 0;
    await expect(async () => {
      for await (const _part of long) if (++count === 3) long.abort();
    }).rejects.toThrow(/abort/i);
    const before = Date.now();
    await new Ollama({ host: url }).generate({ model, prompt: 'Hi', options: { num_predict: 1 } });
    expect(Date.now() - before).toBeLessThan(5000);
  });

  test('errors arrive as errors', async () => {
    const ollama = new Ollama({ host: url });
    await expect(ollama.chat({ model: 'nope', messages: [question] })).rejects.toMatchObject({
      status_code: 404,
      message: "model 'nope' not found",
    });
    await expect(ollama.delete({ model: 'nope' })).rejects.toThrow("model 'nope' not found");
    await expect(ollama.pull({ model: '127.0.0.1:9/library/nope', insecure: true })).rejects.toThrow(
      /pull model manifest/,
    );
  });
});

describe('openai', () => {
  const client = () => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'ollama', maxRetries: 0 });

  test('lists and completes', async () => {
    const ids: string[] = [];
    for await (const listed of client().models.list()) ids.push(listed.id);
    expect(ids).toEqual([model]);
    const completion = await client().chat.completions.create({
      model,
      messages: [question],
      temperature: 0,
      max_tokens: 16,
    });
    expect(completion.choices[0]?.message.content).toContain('Paris');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    const { prompt_tokens, completion_tokens, total_tokens } = completion.usage!;
    expect(prompt_tokens + completion_tokens).toBe(total_tokens);
  });

  test('streams with usage', async () => {
    const stream = await client().chat.completions.create({
      model,
      messages: [question],
      temperature: 0,
      max_tokens: 16,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    const reasons: string[] = [];
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (chunk.choices[0]?.finish_reason) reasons.push(chunk.choices[0].finish_reason);
      usage = chunk.usage ?? usage;
    }
    expect(text).toContain('Paris');
    expect(reasons).toEqual(['stop']);
    expect(usage?.completion_tokens).toBeGreaterThan(1);
  });

  test('streams a completion through its helper', async () => {
    const runner = client().chat.completions.stream({
      model,
      messages: [question],
      temperature: 0,
      max_tokens: 16,
    });
    const final = await runner.finalChatCompletion();
    expect(final.choices[0]?.message.content).toContain('Paris');
  });

  test('errors arrive as errors', async () => {
    const missing = client().chat.completions.create({ model: 'nope', messages: [question] });
    await expect(missing).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const empty = client().chat.completions.create({ model, messages: [] });
    await expect(empty).rejects.toThrow("[] is too short - 'messages'");
  });
});

describe('curl', () => {
  const curl = async (...args: string[]) =>
    (await run('curl', ['-sS', '--max-time', '60', ...args], { maxBuffer: 16e6 })).stdout;

  test('streams lines', async () => {
    const body = JSON.stringify({ model, messages: [question], options: greedy });
    const lines = (await curl('-N', `${url}/api/chat`, '-d', body)).trimEnd().split('\n');
    const parts = lines.map((line) => JSON.parse(line) as { message: { content: string }; done: boolean });
    expect(parts.map(({ message }) => message.content).join('')).toContain('Paris');
    expect(parts.map(({ done }) => done)).toEqual([...parts.slice(1).map(() => false), true]);
  });

  test("HEAD, redirects, and a content type of the request's own", async () => {
    expect(await curl('-I', `${url}/`)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await curl('-L', `${url}/api/version/`)).toMatch(/^\{"version":"[\d.]+"\}$/);
    const loaded = await curl(
      `${url}/api/generate`,
      '-H',
      'Content-Type: text/plain',
      '-d',
      `{"model":"${model}"}`,
    );
    expect(JSON.parse(loaded)).toMatchObject({ done: true, done_reason: 'load' });
  });

  test('a disconnect stops the work', async () => {
    const body = JSON.stringify({
      model,
      // The answer to this prompt never ends. A story may end within a second.
      prompt: 'a b a b a b a b a b a b',
      raw: true,
      options: { num_predict: 4000, temperature: 0, repeat_penalty: 1 },
    });
    const cut = run('curl', ['-sS', '-N', '--max-time', '1', `${url}/api/generate`, '-d', body]);
    await expect(cut).rejects.toMatchObject({ code: 28 });
    await sleep(100);
    const before = Date.now();
    await curl(
      `${url}/api/generate`,
      '-d',
      JSON.stringify({ model, prompt: 'Hi', options: { num_predict: 1 } }),
    );
    expect(Date.now() - before).toBeLessThan(5000);
  });

  test('the other ports answer their first route', async () => {
    const stats = JSON.parse(await curl(`http://127.0.0.1:${shim.ports['image-workflows']}/system_stats`));
    expect(stats.devices.length).toBeGreaterThan(0);
    const webhook = await curl(`http://127.0.0.1:${shim.ports.webhooks}/webhook/none`, '-w', '%{http_code}');
    expect(webhook).toMatch(/not registered.*404$/s);
  });
});
