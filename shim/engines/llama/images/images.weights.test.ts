/** Images on the ports: a model with random weights and a projector. Its answers have no meaning. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ContextExceeded,
  type EngineEvent,
  type GenerateRequest,
  type LanguageModel,
  MEDIA_MARKER,
  type ModelFile,
  RequestRefused,
} from '#core/host';
import { encodeWebp } from '#core/image-codecs';
import { pngOf } from '../../../../test/support/image-workflows/png.ts';
import { wavFile } from '../../../../test/support/local-models/whisper/hearing-host.ts';
import {
  TOKENS_OF_A_RECORDING,
  TOKENS_OF_AN_IMAGE,
  tinyEar,
  tinyLanguageModel,
  tinyProjector,
} from '../../../../test/support/model-files/tiny-vision.ts';
import { nodeCodecs } from '../../../host/image-codecs.ts';
import { nodeLlamaCppEngine } from '../node-llama-cpp.ts';

let folder: string;
let model: LanguageModel;
const paths = new Map<string, string>();

const RED = pngOf([255, 0, 0]);
const BLUE = pngOf([0, 0, 255]);
const chat = (text: string) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;
const QUESTION = chat(`${MEDIA_MARKER}What is this?`);
const never = new AbortController().signal;

async function file(role: ModelFile['role'], name: string, bytes: Uint8Array): Promise<ModelFile> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  paths.set(name, path);
  return { role, digest: name as ModelFile['digest'], size: bytes.length };
}

async function load(projector: Uint8Array, name = 'mmproj.gguf'): Promise<LanguageModel> {
  const engine = nodeLlamaCppEngine({ pathOf: (digest) => paths.get(digest)!, gpu: false });
  expect(engine.media).toBe(true);
  const files = [
    await file('weights', 'model.gguf', tinyLanguageModel()),
    await file('projector', name, projector),
  ];
  const options = { contextLength: 512, batchSize: 128, gpuLayers: 0, threads: 1 };
  return engine.load(files, options, never, () => {});
}

const request = (
  media: Uint8Array[],
  prompt: string,
  more: Partial<GenerateRequest> = {},
): GenerateRequest => ({
  prompt,
  media,
  sampling: {
    seed: 1,
    temperature: 0,
    topK: 0,
    topP: 1,
    minP: 0,
    typicalP: 1,
    repeatLastN: 0,
    repeatPenalty: 1,
    presencePenalty: 0,
    frequencyPenalty: 0,
  },
  maxTokens: 8,
  grammar: 'root ::= [a-z]{8}',
  keep: 0,
  shift: false,
  ...more,
});

async function ask(
  media: Uint8Array[],
  prompt = QUESTION,
  more: Partial<GenerateRequest> = {},
  signal = never,
  loaded = model,
) {
  const events: EngineEvent[] = [];
  for await (const event of loaded.generate(request(media, prompt, more), signal)) events.push(event);
  const end = events.at(-1)!;
  if (end.type !== 'end') throw new Error('no end');
  const text = events.map((event) => (event.type === 'token' ? event.text : '')).join('');
  return { text, first: events[0]!, reason: end.reason, counts: end.counts };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-images-'));
  model = await load(tinyProjector());
});

afterAll(async () => {
  await model?.dispose();
  await rm(folder, { recursive: true, force: true });
});

test('an image changes the answer, and its tokens count in the prompt', async () => {
  const without = await ask([], chat('What is this?'));
  const red = await ask([RED]);
  expect(red.counts.promptTokens).toBe(without.counts.promptTokens + TOKENS_OF_AN_IMAGE);
  expect(red.first).toEqual({ type: 'progress', processed: 0, total: red.counts.promptTokens });
  expect(red.text).toMatch(/^[a-z]{8}$/);
  expect(red).toMatchObject({ reason: 'length', counts: { generatedTokens: 8 } });
  expect((await ask([BLUE])).text).not.toBe(red.text);
  const again = await ask([RED]);
  expect(again.text).toBe(red.text);
});

test('each of several images counts, in order', async () => {
  const two = chat(`${MEDIA_MARKER}${MEDIA_MARKER}What is this?`);
  const ordered = await ask([RED, BLUE], two);
  expect(ordered.counts.promptTokens).toBe((await ask([RED])).counts.promptTokens + TOKENS_OF_AN_IMAGE);
  expect((await ask([BLUE, RED], two)).text).not.toBe(ordered.text);
});

test('the same image as WebP has the same answer, and a mark in the text is no image', async () => {
  const data = new Uint8Array(32 * 32 * 3).map((_, at) => (at % 3 === 0 ? 255 : 0));
  const pixels = { width: 32, height: 32, channels: 3 as const, data };
  const webp = await encodeWebp(pixels, { quality: 100, lossless: true }, nodeCodecs);
  const red = await ask([RED]);
  expect((await ask([webp])).text).toBe(red.text);
  const marked = await ask([RED], chat(`${MEDIA_MARKER}<__media__>What is this?`));
  expect(marked.counts.promptTokens).toBe(red.counts.promptTokens);
});

test.each([
  ['damaged', RED.slice(0, 60)],
  ['of another format', new Uint8Array([1, 2, 3])],
  ['empty', new Uint8Array()],
])('an image file that is %s is refused by its position', async (_, broken) => {
  const two = chat(`${MEDIA_MARKER}${MEDIA_MARKER}What is this?`);
  await expect(ask([RED, broken], two)).rejects.toThrow(/^image 2 cannot be read/);
  await expect(ask([RED, broken], two)).rejects.toBeInstanceOf(RequestRefused);
  expect((await ask([RED])).counts.generatedTokens).toBe(8);
});

test('more images than the context holds are refused with both counts', async () => {
  const images = Array.from({ length: 40 }, () => RED);
  const prompt = chat(`${MEDIA_MARKER.repeat(40)}What is this?`);
  const error = await ask(images, prompt).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ContextExceeded);
  expect(error).toMatchObject({ promptTokens: 40 * TOKENS_OF_AN_IMAGE + 32, contextLength: 512 });
});

test('a wrong grammar and log-probabilities are refused, and the next prompt is answered', async () => {
  await expect(ask([RED], QUESTION, { grammar: 'root ::= (' })).rejects.toThrow(
    /^the grammar cannot be used/,
  );
  await expect(ask([RED], QUESTION, { topLogprobs: 2 })).rejects.toThrow(/no log-probabilities/);
  expect((await ask([RED])).counts.generatedTokens).toBe(8);
});

test('a stop ends an answer, and the next prompt is answered', async () => {
  const controller = new AbortController();
  const long = request([RED], QUESTION, { maxTokens: 400, grammar: 'root ::= [a-z]{400}' });
  const events = model.generate(long, controller.signal);
  await expect(async () => {
    for await (const event of events) if (event.type === 'token') controller.abort(new Error('left'));
  }).rejects.toThrow('left');
  expect((await ask([RED])).counts.generatedTokens).toBe(8);
});

describe('a model that hears', () => {
  let hears: LanguageModel;
  beforeAll(async () => {
    hears = await load(tinyEar(), 'ear.gguf');
  });
  afterAll(() => hears?.dispose());

  const tone = (frequency: number, seconds = 1) =>
    wavFile(seconds, (at) => Math.sin((2 * Math.PI * frequency * at) / 16_000) / 2);

  test('answers audio, and its tokens count in the prompt', async () => {
    const without = await ask([], chat('What is this?'), {}, never, hears);
    const low = await ask([tone(200)], QUESTION, {}, never, hears);
    expect((low.counts.promptTokens - without.counts.promptTokens) % TOKENS_OF_A_RECORDING).toBe(0);
    expect(low.counts.promptTokens).toBeGreaterThan(without.counts.promptTokens);
    expect(low.text).toMatch(/^[a-z]{8}$/);
    expect((await ask([tone(200)], QUESTION, {}, never, hears)).text).toBe(low.text);
    const others = [];
    for (const frequency of [900, 2500, 6000])
      others.push((await ask([tone(frequency)], QUESTION, {}, never, hears)).text);
    expect(others.some((text) => text !== low.text)).toBe(true);
  });

  test('refuses images, and audio that exceeds its context', async () => {
    await expect(ask([RED], QUESTION, {}, never, hears)).rejects.toThrow('takes no images');
    await expect(ask([tone(200, 180)], QUESTION, {}, never, hears)).rejects.toBeInstanceOf(ContextExceeded);
    expect((await ask([tone(200)], QUESTION, {}, never, hears)).counts.generatedTokens).toBe(8);
  });

  test('a model that sees refuses audio', async () => {
    await expect(ask([tone(200)])).rejects.toThrow('takes no audio');
    expect((await ask([RED])).counts.generatedTokens).toBe(8);
  });
});

test('a projector of another model is reported, and prompts without images are answered', async () => {
  const other = await load(tinyProjector(48), 'other.gguf');
  try {
    const ended = async (media: Uint8Array[], prompt: string) => {
      for await (const event of other.generate(request(media, prompt), never))
        if (event.type === 'end') return event.counts.generatedTokens;
      return undefined;
    };
    await expect(ended([RED], QUESTION)).rejects.toThrow(/made for another model/);
    expect(await ended([], chat('What is this?'))).toBe(8);
  } finally {
    await other.dispose();
  }
});
