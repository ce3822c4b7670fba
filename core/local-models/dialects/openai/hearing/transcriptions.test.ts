import { describe, expect, it } from 'vitest';
import { fakeServer } from '#test/support/local-models/fake-server.ts';
import { DONE, installed, textEvent } from '#test/support/local-models/fake-text-service.ts';

const M = 'smollm2:135m';
const PATH = '/v1/audio/transcriptions';
const WAVE = new File([Uint8Array.of(82, 73, 70, 70)], 'a.wav', { type: 'audio/wav' });

function form(fields: Record<string, string | File>): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return { body };
}

describe('POST /v1/audio/transcriptions', () => {
  it('asks the model for the words of the recording', async () => {
    const { ask, service } = fakeServer();
    service.events = [textEvent(' Good'), textEvent(' morning.'), DONE];
    const sent = form({ model: M, file: WAVE, language: 'en', prompt: 'A greeting' });
    const response = await ask('POST', PATH, undefined, sent);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe('{"text":"Good morning."}\n');
    const [chat] = service.requests;
    expect(chat).toMatchObject({
      model: M,
      options: { temperature: 0 },
      messages: [{ role: 'system' }, { role: 'user', images: [Uint8Array.of(82, 73, 70, 70)] }],
    });
    const printed = JSON.stringify(chat);
    for (const part of ['The language is en.', 'A greeting']) expect(printed).toContain(part);
  });

  it('answers with plain text on request', async () => {
    const response = await fakeServer().ask(
      'POST',
      PATH,
      undefined,
      form({ model: M, file: WAVE, response_format: 'text' }),
    );
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/plain', 'The end']);
  });

  it('refuses a model that takes images but no audio', async () => {
    const { ask, registry, service } = fakeServer();
    registry.models = [installed(M, { capabilities: ['completion', 'vision'] })];
    const response = await ask('POST', PATH, undefined, form({ model: M, file: WAVE }));
    expect([response.status, service.requests]).toEqual([500, []]);
    expect((await response.json()).error.message).toContain('audio input is not supported');
  });

  it.each([
    [
      'no form',
      { body: '{}' },
      "failed to parse multipart form: request Content-Type isn't multipart/form-data",
    ],
    [
      'no boundary',
      { body: 'x', headers: { 'content-type': 'multipart/form-data' } },
      'failed to parse multipart form: no multipart boundary param in Content-Type',
    ],
    [
      'a broken form',
      { body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=XX' } },
      'failed to parse multipart form: multipart: NextPart: EOF',
    ],
    ['no model', form({ file: WAVE }), 'model is required'],
    ['no file', form({ model: M }), 'file is required: http: no such file'],
    ['a file that is a text field', form({ model: M, file: 'x' }), 'file is required: http: no such file'],
    ['an empty file', form({ model: M, file: new File([], 'a.wav') }), 'audio file is empty'],
  ])('refuses %s', async (_, init, message) => {
    const response = await fakeServer().ask('POST', PATH, undefined, init);
    expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
      400,
      'application/json; charset=utf-8',
      { error: { message, type: 'invalid_request_error', param: null, code: null } },
    ]);
  });

  it('answers 404 for a missing model', async () => {
    const response = await fakeServer().ask('POST', PATH, undefined, form({ model: 'nope', file: WAVE }));
    expect([response.status, (await response.json()).error.message]).toEqual([404, "model 'nope' not found"]);
  });
});
