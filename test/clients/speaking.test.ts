/** Stock clients against the shim's real port, with a model whose speech is tones. */
import { createOpenAI } from '@ai-sdk/openai';
import { experimental_generateSpeech as generateSpeech } from 'ai';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeAudio } from '#core/audio';
import { nodeMedia } from '#shim/media/media-codecs.ts';
import { neverAborted } from '../support/host/never-aborted.ts';
import { SPEAKING_MODEL } from '../support/local-models/speaking/speaking-host.ts';
import { TOKEN_SAMPLES, tinyVoice } from '../support/local-models/speaking/tiny-voice.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

let home: string;
let shim: RunningShim;
let url: string;

beforeAll(async () => {
  home = await makeHome([{ name: SPEAKING_MODEL, files: tinyVoice() }]);
  shim = await startShim(home);
  url = `http://127.0.0.1:${shim.ports['local-models']}`;
});
afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
});

const input = 'This is the first sentence. And here is another one!';

async function secondsOf(bytes: Uint8Array): Promise<number> {
  const { channels, sampleRate } = await decodeAudio(bytes, neverAborted, nodeMedia(undefined, home));
  return channels[0]!.length / sampleRate;
}

describe('openai', () => {
  const client = () => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
  const speak = async (more: Partial<OpenAI.Audio.SpeechCreateParams> = {}) => {
    const response = await client().audio.speech.create({
      model: SPEAKING_MODEL,
      voice: 'alloy',
      input,
      ...more,
    });
    return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
  };

  test('speech in each format', async () => {
    const { bytes: pcm } = await speak({ response_format: 'pcm' });
    const seconds = pcm.length / 2 / 24_000;
    expect(pcm.length % TOKEN_SAMPLES).toBe(0);
    for (const format of ['mp3', 'opus', 'aac', 'flac', 'wav'] as const) {
      const { bytes } = await speak({ response_format: format });
      // Parts of MP3 and AAC have some silence at their ends.
      const rest = (await secondsOf(bytes)) - seconds;
      expect([format, rest > -0.01, rest < 0.25]).toEqual([format, true, true]);
    }
  });

  test('the default is MP3, without tags between its parts', async () => {
    const { response, bytes } = await speak();
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    const text = Buffer.from(bytes).toString('latin1');
    expect([bytes[0], text.includes('ID3'), text.includes('Xing')]).toEqual([0xff, false, false]);
  });

  test('a stream of events', async () => {
    const response = await client().audio.speech.create({
      model: SPEAKING_MODEL,
      voice: 'alloy',
      input,
      response_format: 'pcm',
      stream_format: 'sse',
    });
    expect(await response.text()).toContain('"type":"speech.audio.done"');
  });

  test('an error has its code', async () => {
    const refused = speak({ voice: 'nobody' as 'alloy' });
    await expect(refused).rejects.toBeInstanceOf(APIError);
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'invalid_value', param: 'voice' });
  });
});

test('the AI SDK speaks', async () => {
  const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' });
  const { audio } = await generateSpeech({
    model: provider.speech(SPEAKING_MODEL),
    text: input,
    voice: 'alloy',
    speed: 2,
    outputFormat: 'wav',
  });
  expect([audio.mediaType, audio.format]).toEqual(['audio/wav', 'wav']);
  expect(await secondsOf(audio.uint8Array)).toBeGreaterThan(0.05);
});
