/** Stock clients send images to the shim's real port. The model has random weights, so that its texts have no meaning. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOllama } from '@langchain/ollama';
import { generateText } from 'ai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pngOf } from '../support/image-workflows/png.ts';
import { wavFile } from '../support/local-models/whisper/hearing-host.ts';
import {
  TOKENS_OF_A_RECORDING,
  TOKENS_OF_AN_IMAGE,
  tinyEar,
  tinyLanguageModel,
  tinyProjector,
} from '../support/model-files/tiny-vision.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

const model = 'tiny-vision';
const hears = 'tiny-ear';
const question = 'What is this?';
const RED = Buffer.from(pngOf([255, 0, 0])).toString('base64');
const BLUE = Buffer.from(pngOf([0, 0, 255])).toString('base64');
const address = (image: string) => `data:image/png;base64,${image}`;

let home: string;
let shim: RunningShim;
let url: string;
let ollama: Ollama;

const openai = () => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });

/** Stores a file and returns its digest. */
async function upload(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const { status } = await fetch(`${url}/api/blobs/${digest}`, { method: 'POST', body: bytes });
  expect(status).toBe(201);
  return digest;
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-vision-'));
  shim = await startShim(home);
  url = `http://127.0.0.1:${shim.ports['local-models']}`;
  ollama = new Ollama({ host: url });
  const files = {
    'model.gguf': await upload(tinyLanguageModel()),
    'mmproj.gguf': await upload(tinyProjector()),
  };
  await ollama.create({ model, files } as never);
  const ear = { ...files, 'mmproj.gguf': await upload(tinyEar()) };
  await ollama.create({ model: hears, files: ear } as never);
});
afterAll(async () => {
  await shim?.stop();
  await rm(home, { recursive: true, force: true });
});

const chat = async (images: string[]) =>
  ollama.chat({
    model,
    messages: [{ role: 'user', content: question, ...(images.length > 0 && { images }) }],
    options: { temperature: 0, num_predict: 8 },
  });

test('ollama: images count in the prompt and change the answer', async () => {
  expect((await ollama.show({ model })).capabilities).toContain('vision');
  const [without, red, blue] = [await chat([]), await chat([RED]), await chat([BLUE])];
  expect(red.prompt_eval_count).toBe(without.prompt_eval_count + TOKENS_OF_AN_IMAGE);
  expect(red.message.content).not.toBe(blue.message.content);
  expect((await chat([RED])).message.content).toBe(red.message.content);
  const generated = await ollama.generate({
    model,
    prompt: question,
    images: [RED],
    options: { temperature: 0, num_predict: 8 },
  });
  expect(generated.response).toBe(red.message.content);
});

const limits = { temperature: 0, max_tokens: 8 };

const clients: [string, (image: string) => Promise<unknown>][] = [
  [
    'openai, chat completions',
    async (image) => {
      const content = [
        { type: 'image_url' as const, image_url: { url: address(image) } },
        { type: 'text' as const, text: question },
      ];
      const messages = [{ role: 'user' as const, content }];
      return (await openai().chat.completions.create({ model, ...limits, messages })).choices[0]!.message;
    },
  ],
  [
    'openai, responses',
    async (image) => {
      const content = [
        { type: 'input_image' as const, image_url: address(image), detail: 'auto' as const },
        { type: 'input_text' as const, text: question },
      ];
      const input = [{ role: 'user' as const, content }];
      const options = { model, temperature: 0, max_output_tokens: 8, input };
      return (await openai().responses.create(options)).output_text;
    },
  ],
  [
    '@anthropic-ai/sdk',
    async (image) => {
      const client = new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0 });
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: image };
      const content = [
        { type: 'image' as const, source },
        { type: 'text' as const, text: question },
      ];
      return (await client.messages.create({ model, ...limits, messages: [{ role: 'user', content }] }))
        .content;
    },
  ],
  [
    'AI SDK',
    async (image) => {
      const content = [
        { type: 'image' as const, image: address(image) },
        { type: 'text' as const, text: question },
      ];
      const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' });
      const options = { temperature: 0, maxOutputTokens: 8, messages: [{ role: 'user' as const, content }] };
      return (await generateText({ model: provider.chat(model), ...options })).text;
    },
  ],
  [
    'LangChain',
    async (image) => {
      const client = new ChatOllama({ baseUrl: url, model, temperature: 0, numPredict: 8 });
      const content = [
        { type: 'image_url', image_url: address(image) },
        { type: 'text', text: question },
      ];
      return (await client.invoke([new HumanMessage({ content })])).content;
    },
  ],
];

test.each(clients)('%s: the image decides the answer', async (_, answer) => {
  const red = await answer(RED);
  expect(await answer(BLUE)).not.toEqual(red);
  expect(await answer(RED)).toEqual(red);
});

test('an image that cannot be read is refused, and the next request is answered', async () => {
  const broken = Buffer.from('no image').toString('base64');
  await expect(chat([broken])).rejects.toThrow();
  await expect(chat(Array.from({ length: 200 }, () => RED))).rejects.toThrow(/context/);
  expect((await chat([RED])).message.content).not.toBe('');
});

test('a model that hears takes audio, in chats and for transcriptions, and no images', async () => {
  const { capabilities } = await ollama.show({ model: hears });
  expect(capabilities).toContain('audio');
  expect(capabilities).not.toContain('vision');
  const data = Buffer.from(wavFile(1)).toString('base64');
  const ask = (content: string | OpenAI.Chat.ChatCompletionContentPart[]) =>
    openai().chat.completions.create({
      model: hears,
      messages: [{ role: 'user', content }],
      temperature: 0,
      max_tokens: 4,
    });
  const text = { type: 'text' as const, text: question };
  const without = await ask([text]);
  const heard = await ask([{ type: 'input_audio', input_audio: { data, format: 'wav' } }, text]);
  expect(heard.usage!.prompt_tokens).toBeGreaterThan(without.usage!.prompt_tokens + TOKENS_OF_A_RECORDING);
  const file = new File([wavFile(1)], 'speech.wav');
  const transcript = await openai().audio.transcriptions.create({ model: hears, file });
  expect(typeof transcript.text).toBe('string');
  await expect(ask([{ type: 'image_url', image_url: { url: address(RED) } }, text])).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('does not support multimodal requests'),
  });
  await expect(
    openai().audio.transcriptions.create({ model, file: new File([wavFile(1)], 'speech.wav') }),
  ).rejects.toMatchObject({ status: 500, message: expect.stringContaining('audio input is not supported') });
});
