import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { HeardSegment } from '#core/host';
import { type NodeCore, openNodeCore } from '#shim/cli/node-core.ts';
import { type Hub, startHub } from '#test/support/local-models/hub.ts';
import { wavFile } from '#test/support/local-models/whisper/hearing-host.ts';
import { canSpeak, spoken, whisperTinyEn } from '#test/support/local-models/whisper/whisper-tiny-en.ts';
import { childProcesses } from '#test/support/processes/child-processes.ts';
import type { HearSpeechRequest } from '../runs/hear-request.ts';

// The weights are downloaded, and the graphs are built, possibly on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const never = new AbortController().signal;
const MODEL = 'hf.co/test/whisper-tiny.en';
let hub: Hub;
let home: string;
let core: NodeCore;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tabd-whisper-'));
  hub = await startHub({ 'test/whisper-tiny.en': { files: await whisperTinyEn() } });
  core = await openNodeCore({ home, env: { ...process.env, HF_ENDPOINT: hub.endpoint } });
  for await (const _ of core.registry.pull({ model: MODEL, insecure: false }, never));
});
afterAll(async () => {
  await core?.close();
  await hub?.close();
  await rm(home, { recursive: true, force: true });
});

async function hear(audio: Uint8Array, rest: Partial<HearSpeechRequest> = {}, signal = never) {
  const request: HearSpeechRequest = { model: MODEL, audio, task: 'transcribe', words: false, ...rest };
  const run = await core.text.hear(request, signal);
  let duration = 0;
  const segments: HeardSegment[] = [];
  let language: string | undefined;
  for await (const event of run.events) {
    if (event.type === 'segment') segments.push(event.segment);
    if (event.type === 'language') language = event.language;
    if (event.type === 'done') duration = event.duration;
  }
  const text = segments
    .map(({ text }) => text)
    .join('')
    .trim();
  return { text, segments, language, duration };
}

test('a pulled model hears', async () => {
  const model = (await core.registry.find(core.registry.parse(MODEL)))!;
  expect(model).toMatchObject({ format: 'onnx', capabilities: ['audio'] });
  const metadata = await core.registry.metadata(model);
  expect(metadata).toMatchObject({ architecture: 'whisper', quantization: 'F32', contextLength: 448 });
  expect(metadata.parameterCount).toBeGreaterThan(37e6);
});

const PHRASE = 'The quick brown fox jumps over the lazy dog.';
/** 45 seconds, which are two windows. */
const STORY =
  'Once upon a time there was a small village by the sea. The people of the village were fishermen, and every morning they went out in their boats. One day a storm came. The waves were as high as houses, and the wind tore the sails to pieces. Only one boat came back. In it sat an old man with a white beard, and in his hands he held a golden ring. He showed the people where he had found it, in the belly of a fish. The ring was sold in the city for a great sum of money, and the village built a new harbor with it. From that day on no boat was lost in a storm. The old man lived for many years in a little house near the water. Children came to visit him and listened to his stories about the sea.';

const wordsOf = (text: string) => text.toLowerCase().match(/[a-z]+/g) ?? [];

/** Words to insert, delete and replace, for each word of `expected`: Levenshtein, 1966. */
function wordError(actual: string[], expected: string[]): number {
  let row = [...expected.keys(), expected.length];
  for (const [at, word] of actual.entries()) {
    const next = [at + 1];
    for (const [column, other] of expected.entries())
      next.push(Math.min(row[column + 1]! + 1, next[column]! + 1, row[column]! + (word === other ? 0 : 1)));
    row = next;
  }
  return row.at(-1)! / expected.length;
}

// This version of ffmpeg may lack the voice, which no package brings along.
describe.skipIf(!canSpeak)('speech', () => {
  test.each(['a.wav', 'a.mp3', 'a.ogg', 'a.flac', 'a.opus', 'a.m4a'])('is written down: %s', async (name) => {
    const { text, language, duration, segments } = await hear(await spoken(PHRASE, name));
    expect(wordError(wordsOf(text), wordsOf(PHRASE))).toBeLessThan(0.2);
    expect([language, Math.round(duration)]).toEqual(['en', 3]);
    expect(segments[0]!.averageLogprob).toBeGreaterThan(-1);
    expect(segments.at(-1)!.end).toBeLessThanOrEqual(duration + 0.1);
  });

  test('of more than 30 seconds has segments and words in order', async () => {
    const { text, segments, duration } = await hear(await spoken(STORY), { words: true });
    expect(wordError(wordsOf(text), wordsOf(STORY))).toBeLessThan(0.1);
    expect(new Set(segments.map(({ seek }) => seek)).size).toBeGreaterThan(1);
    const words = segments.flatMap(({ words = [] }) => words);
    expect(wordsOf(words.map((word) => word.text).join(''))).toEqual(wordsOf(text));
    for (const [index, { start, end }] of words.entries()) {
      expect(end).toBeGreaterThanOrEqual(start);
      if (index > 0) expect(start).toBeGreaterThanOrEqual(words[index - 1]!.start);
    }
    // "sea" ends the first sentence, which takes three seconds.
    expect(words.find((word) => word.text === ' sea.')!.end).toBeCloseTo(3.1, 0);
    expect(words.at(-1)!.end).toBeLessThanOrEqual(duration + 0.2);
  });

  test('is written in the spelling of a prompt', async () => {
    const audio = await spoken('My friend Catherine lives in Berlin.');
    const { text } = await hear(audio, { prompt: 'Katharyne, Katharyne and Katharyne.' });
    expect(text).toContain('Katharyne');
  });

  test('a client that disconnects ends the work, and the next request is answered', async () => {
    const client = new AbortController();
    const hearing = hear(await spoken(STORY), {}, client.signal);
    setTimeout(() => client.abort(), 500);
    await expect(hearing).rejects.toMatchObject({ status: 499 });
    expect((await hear(await spoken(PHRASE))).text).toContain('fox');
  });
});

test.each([
  ['silence', () => 0],
  ['noise', (index: number) => (Math.imul(index, 2654435761) >>> 24) / 128 - 1],
])('%s has little text', async (_, at) => {
  const { segments } = await hear(wavFile(5, at));
  expect(wordsOf(segments.map(({ text }) => text).join('')).length).toBeLessThan(40);
});

test('a killed process fails its own request only', async () => {
  const hearing = hear(wavFile(600, (index) => Math.sin(index / 20)));
  await vi.waitFor(() => expect(childProcesses(process.pid, 'tensor-process')).toHaveLength(2), 60_000);
  const refused = expect(hearing).rejects.toMatchObject({
    status: 500,
    message: expect.stringContaining('model runner has unexpectedly stopped'),
  });
  await sleep(300);
  process.kill(childProcesses(process.pid, 'tensor-process')[0]!, 'SIGKILL');
  await refused;
  expect((await hear(wavFile(1, () => 0))).duration).toBe(1);
});
