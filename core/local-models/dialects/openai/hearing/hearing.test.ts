import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Server } from '#core/http/routing/server.ts';
import { createCore } from '#core/server/create-core.ts';
import { CALL, fakeServer } from '#test/support/local-models/fake-server.ts';
import { installed } from '#test/support/local-models/fake-text-service.ts';
import { HEARING_MODEL, hearingHost, wavFile } from '#test/support/local-models/whisper/hearing-host.ts';
import { TINY_TEXT } from '#test/support/local-models/whisper/tiny-whisper.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const PATH = '/v1/audio/transcriptions';
const WAVE = new File([wavFile(0.5)], 'a.wav', { type: 'audio/wav' });

function form(fields: Record<string, string | string[] | File>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const each of [value].flat()) body.append(name, each as string);
  return body;
}

describe('a model that hears', () => {
  let server: Server;
  beforeAll(async () => {
    server = createCore(hearingHost()).server;
    await (await ask('/api/pull', JSON.stringify({ model: HEARING_MODEL, stream: false }))).text();
  });
  afterAll(() => server.close());
  const ask = (path: string, body: BodyInit, method = 'POST') =>
    server.fetch(new Request(`http://127.0.0.1:11434${path}`, { method, body }), CALL);
  const hear = (fields: Parameters<typeof form>[0], path = PATH) =>
    ask(path, form({ model: HEARING_MODEL, file: WAVE, ...fields }));

  it('says so in /api/show', async () => {
    const shown = await (await ask('/api/show', JSON.stringify({ model: HEARING_MODEL }))).json();
    expect(shown).toMatchObject({ capabilities: ['audio'], details: { family: 'whisper' } });
  });

  it.each(['/api/chat', '/api/generate', '/v1/chat/completions'])('is refused by %s', async (path) => {
    const body = { model: HEARING_MODEL, prompt: 'Hi', messages: [{ role: 'user', content: 'Hi' }] };
    const response = await ask(path, JSON.stringify(body));
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('does not support'),
    ]);
  });

  it('answers with JSON, which is the default', async () => {
    for (const fields of [{}, { response_format: 'json' }] as Record<string, string>[]) {
      const response = await hear(fields);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
      expect(await response.text()).toBe(`{"text":"${TINY_TEXT}","usage":{"type":"duration","seconds":1}}\n`);
    }
  });

  it.each([
    ['text', TINY_TEXT],
    [
      'srt',
      '1\n00:00:00,000 --> 00:00:00,100\nGood morning.\n\n2\n00:00:00,100 --> 00:00:00,200\nHow are you?\n\n',
    ],
    [
      'vtt',
      'WEBVTT\n\n00:00:00.000 --> 00:00:00.100\nGood morning.\n\n00:00:00.100 --> 00:00:00.200\nHow are you?\n\n',
    ],
  ])('answers with %s', async (format, text) => {
    // Formats with times are not streamed.
    const response = await hear({ response_format: format, ...(format !== 'text' && { stream: 'true' }) });
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/plain', text]);
  });

  it('answers with segments and words', async () => {
    const verbose = async (...granularities: string[]) =>
      (
        await hear({ response_format: 'verbose_json', 'timestamp_granularities[]': granularities })
      ).json() as Promise<Record<string, unknown[]>>;
    const usual = await verbose();
    expect(usual).toMatchObject({ task: 'transcribe', language: 'english', duration: 0.5, text: TINY_TEXT });
    expect([usual.segments!.length, usual.words]).toEqual([2, undefined]);
    const words = await verbose('word');
    expect([words.segments, words.words!.length]).toEqual([undefined, 5]);
    const both = await verbose('word', 'segment');
    expect([both.segments!.length, both.words!.length]).toEqual([2, 5]);
    expect(both.words![0]).toEqual({ word: 'Good', start: expect.any(Number), end: expect.any(Number) });
  });

  it('streams a delta for each segment, and the text', async () => {
    const response = await hear({ stream: 'true' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = (await response.text()).trimEnd().split('\n\n');
    expect(events.map((event) => JSON.parse(event.replace(/^data: /, '')))).toEqual([
      { type: 'transcript.text.delta', delta: 'Good morning.' },
      { type: 'transcript.text.delta', delta: ' How are you?' },
      { type: 'transcript.text.done', text: TINY_TEXT },
    ]);
  });

  it('translates', async () => {
    const response = await hear(
      { response_format: 'verbose_json', language: 'German' },
      '/v1/audio/translations',
    );
    expect(await response.json()).toMatchObject({ task: 'translate', language: 'english' });
  });

  it('takes the names and the codes of languages', async () => {
    const verbose = async (language: string) =>
      (await (await hear({ response_format: 'verbose_json', language })).json()) as { language: string };
    expect((await verbose('de-AT')).language).toBe('german');
    expect((await verbose('Chinese')).language).toBe('chinese');
  });

  it.each<[string, Parameters<typeof form>[0], string | null, string | null, RegExp]>([
    ['no audio', { file: new File(['hello'], 'a.mp3') }, 'file', null, /could not be decoded/],
    [
      'a file that is cut off',
      { file: new File([wavFile(1).slice(0, 30)], 'a.wav') },
      'file',
      null,
      /could not/,
    ],
    ['no samples', { file: new File([wavFile(0)], 'a.wav') }, 'file', 'audio_too_short', /too short/],
    [
      'too few samples',
      { file: new File([wavFile(0.09)], 'a.wav') },
      'file',
      'audio_too_short',
      /0.1 seconds/,
    ],
    ['a language of no name', { language: 'klingon' }, 'language', 'invalid_language_format', /ISO-639-1/],
    ['a language that the model lacks', { language: 'fr' }, null, null, /does not know the language 'fr'/],
    ['another format', { response_format: 'xml' }, 'response_format', 'invalid_value', /'json', 'text'/],
    ['a temperature above 1', { temperature: '1.5' }, 'temperature', 'invalid_value', /0 to 1/],
    ['a temperature that is no number', { temperature: 'hot' }, 'temperature', 'invalid_value', /'hot'/],
    [
      'another granularity',
      { 'timestamp_granularities[]': 'letter' },
      'timestamp_granularities',
      'invalid_value',
      /'word'/,
    ],
    [
      'words without verbose_json',
      { 'timestamp_granularities[]': 'word' },
      'timestamp_granularities',
      'invalid_value',
      /verbose_json/,
    ],
  ])('refuses %s, and answers the next request', async (_, fields, param, code, message) => {
    for (const stream of ['false', 'true']) {
      const response = await hear({ stream, ...fields });
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: { message: expect.stringMatching(message), type: 'invalid_request_error', param, code } },
      ]);
    }
    expect(await (await hear({ response_format: 'text' })).text()).toBe(TINY_TEXT);
  });

  it.each([
    ['silence', wavFile(40, () => 0)],
    ['noise', wavFile(2, (index) => ((index * 7919) % 255) / 127.5 - 1)],
    ['a video rate of samples', wavFile(0.5, Math.sin, 48_000)],
  ])('hears %s', async (_, bytes) => {
    expect((await hear({ file: new File([bytes], 'a.wav') })).status).toBe(200);
  });

  it('ends when the client disconnects, and answers the next request', async () => {
    const client = new AbortController();
    const request = new Request(`http://127.0.0.1:11434${PATH}`, {
      method: 'POST',
      body: form({ model: HEARING_MODEL, file: new File([wavFile(3600)], 'a.wav') }),
      signal: client.signal,
    });
    const answer = server.fetch(request, CALL);
    await new Promise((resolve) => setTimeout(resolve, 700));
    client.abort();
    expect((await answer).status).toBe(499);
    expect(await (await hear({ response_format: 'text' })).text()).toBe(TINY_TEXT);
  });
});

describe('events of a hearing', () => {
  const segment = {
    seek: 0,
    start: 0,
    end: 1,
    text: ' A',
    tokens: [],
    temperature: 0,
    averageLogprob: 0,
    compressionRatio: 1,
    noSpeechProbability: 0,
  };
  const setUp = () => {
    const fake = fakeServer();
    fake.registry.models = [installed('w', { capabilities: ['audio'] })];
    return fake;
  };
  const body = (stream: string) => ({ body: form({ model: 'w', file: WAVE, stream }) });

  it('an error in the middle of a stream is its last event', async () => {
    const { ask, service } = setUp();
    service.heard = async function* () {
      yield { type: 'segment', segment };
      throw new Error('the engine stopped');
    };
    const text = await (await ask('POST', PATH, undefined, body('true'))).text();
    expect(text).toBe(
      'data: {"type":"transcript.text.delta","delta":"A"}\n\ndata: {"error":{"message":"the engine stopped","type":"api_error","param":null,"code":null}}\n\n',
    );
  });

  it('an error before the first event sets the status', async () => {
    for (const stream of ['true', 'false']) {
      const { ask, service } = setUp();
      // biome-ignore lint/correctness/useYield: it only throws
      service.heard = async function* () {
        throw new Error('no memory');
      };
      expect((await ask('POST', PATH, undefined, body(stream))).status).toBe(500);
    }
  });

  it('a reader that leaves the stream ends the work', async () => {
    const { ask, service } = setUp();
    let ended = false;
    service.heard = async function* (signal) {
      yield { type: 'segment', segment };
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      ended = true;
      throw signal.reason;
    };
    const response = await ask('POST', PATH, undefined, body('true'));
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await vi.waitFor(() => expect(ended).toBe(true));
  });
});
