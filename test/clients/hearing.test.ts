/** Stock clients against the shim's real port, with a model that writes one text for each recording. */
import { createOpenAI } from '@ai-sdk/openai';
import { experimental_transcribe as transcribe } from 'ai';
import OpenAI, { APIError, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HEARING_MODEL, wavFile } from '../support/local-models/whisper/hearing-host.ts';
import { TINY_TEXT, tinyWhisper } from '../support/local-models/whisper/tiny-whisper.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

let home: string;
let shim: RunningShim;
let url: string;

beforeAll(async () => {
  home = await makeHome([{ name: HEARING_MODEL, files: tinyWhisper() }]);
  shim = await startShim(home);
  url = `http://127.0.0.1:${shim.ports['local-models']}`;
});
afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
});

describe('openai', () => {
  const client = () => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
  const request = async () => ({ model: HEARING_MODEL, file: await toFile(wavFile(1), 'a.wav') });

  test('transcriptions in each format', async () => {
    const { audio } = client();
    expect((await audio.transcriptions.create(await request())).text).toBe(TINY_TEXT);
    const text = await audio.transcriptions.create({ ...(await request()), response_format: 'text' });
    expect(text).toBe(TINY_TEXT);
    const srt = await audio.transcriptions.create({ ...(await request()), response_format: 'srt' });
    expect(srt).toContain('00:00:00,100 --> 00:00:00,200\nHow are you?');
    const verbose = await audio.transcriptions.create({
      ...(await request()),
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    });
    expect(verbose).toMatchObject({ language: 'english', duration: 1 });
    expect(verbose.segments!.map(({ text }) => text)).toEqual([' Good morning.', ' How are you?']);
    expect(verbose.words!.map(({ word }) => word)).toEqual(['Good', 'morning.', 'How', 'are', 'you?']);
  });

  test('a streamed transcription', async () => {
    const stream = await client().audio.transcriptions.create({ ...(await request()), stream: true });
    const deltas: string[] = [];
    let done: string | undefined;
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') deltas.push(event.delta);
      if (event.type === 'transcript.text.done') done = event.text;
    }
    expect([deltas.join(''), deltas.length, done]).toEqual([TINY_TEXT, 2, TINY_TEXT]);
  });

  test('a translation', async () => {
    const { text } = await client().audio.translations.create({ ...(await request()), prompt: '' });
    expect(text).toBe(TINY_TEXT);
  });

  test('an error has its code', async () => {
    const file = await toFile(wavFile(0.01), 'a.wav');
    const refused = client().audio.transcriptions.create({ model: HEARING_MODEL, file });
    await expect(refused).rejects.toBeInstanceOf(APIError);
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'audio_too_short', param: 'file' });
  });
});

test('the AI SDK transcribes', async () => {
  const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' });
  const { text, segments, durationInSeconds } = await transcribe({
    model: provider.transcription(HEARING_MODEL),
    audio: wavFile(1),
    providerOptions: { openai: { timestampGranularities: ['word'], language: 'en' } },
  });
  expect([text, durationInSeconds]).toEqual([TINY_TEXT, 1]);
  expect(segments.map((segment) => segment.text)).toEqual(['Good', 'morning.', 'How', 'are', 'you?']);
});
