import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { decodeAudio } from '#core/audio';
import type { Server } from '#core/http/routing/server.ts';
import { createCore } from '#core/server/create-core.ts';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { CALL } from '#test/support/local-models/fake-server.ts';
import { SPEAKING_MODEL, speakingHost } from '#test/support/local-models/speaking/speaking-host.ts';
import {
  loudness,
  TOKEN_SAMPLES,
  toneOf,
  VOICE_VOCABULARY,
  type VOICES,
} from '#test/support/local-models/speaking/tiny-voice.ts';
import { tinyGguf } from '#test/support/model-files/tiny-gguf.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const PATH = '/v1/audio/speech';

let server: Server;
beforeAll(async () => {
  server = createCore(speakingHost()).server;
  await (await ask('/api/pull', { model: SPEAKING_MODEL, stream: false })).text();
});
afterAll(() => server.close());

const ask = (path: string, body: unknown, init: RequestInit = {}) =>
  server.fetch(
    new Request(`http://127.0.0.1:11434${path}`, { method: 'POST', body: JSON.stringify(body), ...init }),
    CALL,
  );
const speak = (fields: Record<string, unknown>, init?: RequestInit) =>
  ask(PATH, { model: SPEAKING_MODEL, voice: 'af_heart', ...fields }, init);
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

/** The samples that the model computes for phonemes. */
function tones(phonemes: string, voice: keyof typeof VOICES, samples = TOKEN_SAMPLES): number[] {
  const tokens = [...phonemes].map((symbol) => VOICE_VOCABULARY[symbol]!);
  const volume = loudness(voice, tokens.length);
  return [0, ...tokens, 0].flatMap((token) =>
    Array.from({ length: samples }, (_, sample) => volume * toneOf(token, sample)),
  );
}

async function samplesOf(response: Response): Promise<number[]> {
  expect(response.status).toBe(200);
  const bytes = await bytesOf(response);
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 2 }, (_, at) => view.getInt16(at * 2, true) / 32_767);
}

function expectNear(said: readonly number[], expected: readonly number[]) {
  expect(said.length).toBe(expected.length);
  const furthest = said.reduce((most, value, at) => Math.max(most, Math.abs(value - expected[at]!)), 0);
  expect(furthest).toBeLessThan(1e-3);
}

describe('a model that speaks', () => {
  it('says so in /api/show and /api/tags', async () => {
    const shown = await (await ask('/api/show', { model: SPEAKING_MODEL })).json();
    expect(shown).toMatchObject({ capabilities: ['speech'], details: { family: 'kokoro' } });
    const listed = await server.fetch(new Request('http://127.0.0.1:11434/v1/models'), CALL);
    expect(await listed.text()).toContain(SPEAKING_MODEL);
  });

  it.each(['/api/chat', '/api/generate', '/v1/chat/completions'])('is refused by %s', async (path) => {
    const body = { model: SPEAKING_MODEL, prompt: 'Hi', messages: [{ role: 'user', content: 'Hi' }] };
    const response = await ask(path, body);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('does not support'),
    ]);
  });

  it('says the phonemes of a text, in the voice of its length', async () => {
    const said = await samplesOf(await speak({ input: 'Hello, world!', response_format: 'pcm' }));
    expectNear(said, tones('həlˈO, wˈɜɹld!', 'af_heart'));
  });

  it('says sentences one after the other', async () => {
    const said = await samplesOf(await speak({ input: 'Yes. No!', response_format: 'pcm' }));
    expectNear(said, [...tones('jˈɛs.', 'af_heart'), ...tones('nˈO!', 'af_heart')]);
  });

  it('speaks slower and faster', async () => {
    const quick = await samplesOf(await speak({ input: 'No.', response_format: 'pcm', speed: 4 }));
    expectNear(quick, tones('nˈO.', 'af_heart', TOKEN_SAMPLES / 4));
    const slow = await samplesOf(await speak({ input: 'No.', response_format: 'pcm', speed: 0.25 }));
    expectNear(slow, tones('nˈO.', 'af_heart', TOKEN_SAMPLES * 4));
  });

  it.each([
    ['alloy', 'af_alloy', 'nˈO.'],
    [{ id: 'af_alloy' }, 'af_alloy', 'nˈO.'],
    ['bf_emma', 'bf_emma', 'nˈQ.'],
    [undefined, 'af_heart', 'nˈO.'],
    ['', 'af_heart', 'nˈO.'],
  ] as const)('the voice %j is %s', async (voice, name, phonemes) => {
    const said = await samplesOf(await speak({ input: 'No.', response_format: 'pcm', voice }));
    expectNear(said, tones(phonemes, name));
  });

  it('a long sentence is said in parts', async () => {
    const input = `${'one two three four '.repeat(60)}five.`;
    const said = await samplesOf(await speak({ input, response_format: 'pcm' }));
    expect(said.length).toBeGreaterThan(1000 * TOKEN_SAMPLES);
  });

  it('words that nobody knows are said, and other signs are left out', async () => {
    const response = await speak({ input: 'Zqwx 😀 你好 café', response_format: 'pcm' });
    expect((await bytesOf(response)).length).toBeGreaterThan(1000);
  });
});

describe('formats', () => {
  it.each([
    ['wav', 'audio/wav', 'RIFF'],
    ['flac', 'audio/flac', 'fLaC'],
    ['opus', 'audio/ogg', 'OggS'],
  ])('%s', async (format, type, magic) => {
    const response = await speak({ input: 'Yes. No!', response_format: format });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    const bytes = await bytesOf(response);
    expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe(magic);
    const { channels, sampleRate } = await decodeAudio(bytes, neverAborted);
    const seconds = channels[0]!.length / sampleRate;
    expect(seconds).toBeCloseTo((13 * TOKEN_SAMPLES) / 24_000, 1);
  });

  it('a WAV file of one sentence has its length, and a stream leaves it open', async () => {
    const sizeOf = async (input: string) => {
      const bytes = await bytesOf(await speak({ input, response_format: 'wav' }));
      return [new DataView(bytes.buffer).getUint32(40, true), bytes.length - 44];
    };
    const [size, length] = await sizeOf('Yes.');
    expect(size).toBe(length);
    expect((await sizeOf('Yes. No!'))[0]).toBe(2 ** 32 - 1);
  });

  it('without codecs the default is WAV, and compressed formats are refused', async () => {
    const usual = await speak({ input: 'Yes.' });
    expect(usual.headers.get('content-type')).toBe('audio/wav');
    await usual.arrayBuffer();
    for (const format of ['mp3', 'aac']) {
      const response = await speak({ input: 'Yes.', response_format: format });
      const { error } = await response.json();
      expect([response.status, error.param, error.code]).toEqual([
        400,
        'response_format',
        'unsupported_value',
      ]);
      expect(error.message).toContain("'wav', 'flac', 'opus', 'pcm'");
    }
  });

  it('streams events with audio, and counts', async () => {
    const response = await speak({ input: 'Yes. No!', response_format: 'pcm', stream_format: 'sse' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const lines = (await response.text()).trimEnd().split('\n\n');
    const events = lines.map((line) => JSON.parse(line.replace(/^data: /, '')));
    expect(events.map(({ type }) => type)).toEqual([
      'speech.audio.delta',
      'speech.audio.delta',
      'speech.audio.done',
    ]);
    expect(Buffer.from(events[0].audio, 'base64').length).toBe(7 * TOKEN_SAMPLES * 2);
    expect(events[2].usage).toEqual({ input_tokens: 9, output_tokens: 3, total_tokens: 12 });
  });
});

describe('bad requests', () => {
  it.each<[string, Record<string, unknown>, number, string | null, string | null, RegExp]>([
    ['no text', {}, 400, 'input', 'missing_required_parameter', /Missing required parameter: 'input'/],
    ['an empty text', { input: ' \n' }, 400, 'input', 'empty_string', /empty string/],
    ['a long text', { input: 'a'.repeat(4097) }, 400, 'input', 'string_above_max_length', /length 4097/],
    ['no letters', { input: '?! 😀 --' }, 400, 'input', 'invalid_value', /no letters/],
    ['other letters', { input: '你好' }, 400, 'input', 'invalid_value', /speaks English/],
    [
      'an unknown voice',
      { input: 'Hi', voice: 'bob' },
      400,
      'voice',
      'invalid_value',
      /af_heart, af_alloy, bf_emma/,
    ],
    ['a voice of another type', { input: 'Hi', voice: 5 }, 400, 'voice', 'invalid_type', /name of a voice/],
    ['a speed below', { input: 'Hi', speed: 0.2 }, 400, 'speed', 'decimal_below_min_value', />= 0.25/],
    ['a speed above', { input: 'Hi', speed: 4.1 }, 400, 'speed', 'decimal_above_max_value', /<= 4/],
    [
      'another format',
      { input: 'Hi', response_format: 'ogg' },
      400,
      'response_format',
      'invalid_value',
      /'mp3'/,
    ],
    [
      'another stream',
      { input: 'Hi', stream_format: 'ndjson' },
      400,
      'stream_format',
      'invalid_value',
      /'sse'/,
    ],
    ['no model', { input: 'Hi', model: '' }, 400, null, null, /model is required/],
    ['an unknown model', { input: 'Hi', model: 'tts-1' }, 404, null, null, /'tts-1' not found/],
    ['a number as text', { input: 5 }, 400, null, null, /cannot unmarshal number/],
  ])('%s', async (_, fields, status, param, code, message) => {
    const response = await speak(fields);
    const { error } = await response.json();
    expect([response.status, error.param, error.code]).toEqual([status, param, code]);
    expect(error.message).toMatch(message);
    const next = await speak({ input: 'Yes.', response_format: 'pcm' });
    expect((await bytesOf(next)).length).toBe(7 * TOKEN_SAMPLES * 2);
  });

  it('a client that leaves ends the work, and the next one is answered', async () => {
    const leave = new AbortController();
    const input = 'This is a sentence. '.repeat(100);
    const response = await speak({ input, response_format: 'pcm' }, { signal: leave.signal });
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    leave.abort();
    const next = await speak({ input: 'Yes.', response_format: 'pcm' });
    expect((await bytesOf(next)).length).toBe(7 * TOKEN_SAMPLES * 2);
  });
});

it('a model that does not speak is refused', async () => {
  const chat = tinyGguf();
  const other = createCore(
    speakingHost({
      sources: [
        {
          name: 'test',
          locate: async (uri) =>
            uri.endsWith('chat:1b')
              ? [
                  {
                    role: 'weights',
                    name: 'a.gguf',
                    size: chat.length,
                    open: async () => new Blob([chat]).stream(),
                  },
                ]
              : undefined,
        },
      ],
    }),
  ).server;
  const post = (path: string, body: unknown) =>
    other.fetch(
      new Request(`http://127.0.0.1:11434${path}`, { method: 'POST', body: JSON.stringify(body) }),
      CALL,
    );
  await (await post('/api/pull', { model: 'chat:1b', stream: false })).text();
  const response = await post(PATH, { model: 'chat:1b', input: 'Hi', voice: 'alloy' });
  const { error } = await response.json();
  expect([response.status, error.param]).toEqual([400, 'model']);
  expect(error.message).toContain('chat:1b does not speak');
  await other.close();
});
