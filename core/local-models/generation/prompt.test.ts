import { describe, expect, test } from 'vitest';
import { decodeAudio } from '#core/audio';
import { MEDIA_MARKER } from '#core/host';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { chatRequest, finished, generateRequest, setUp, user } from '#test/support/local-models/text-runs.ts';
import { wavFile } from '#test/support/local-models/whisper/hearing-host.ts';

const image = (byte: number) => new Uint8Array([byte]);
const withImages = (content: string, ...bytes: number[]) => ({ ...user(content), images: bytes.map(image) });

describe('the prompt of generate', () => {
  test('with raw is the text of the request, and the answer is not parsed', async () => {
    const { service, engine } = setUp(() => ['<think>', 'a', '</think>', 'b']);
    const request = generateRequest({ model: 'thinks', raw: true, prompt: 'Once' });
    const answer = await finished(await service.generate(request, neverAborted));
    expect(engine.calls[0]!.prompt).toBe('Once');
    expect(answer).toMatchObject({ thinking: '', content: '<think>a</think>b' });
    expect(answer.done).not.toHaveProperty('context');
  });

  test('with raw and a suffix ignores the suffix', async () => {
    const { service, engine } = setUp();
    const request = generateRequest({ model: 'inserts', raw: true, prompt: 'Once', suffix: 'x' });
    await finished(await service.generate(request, neverAborted));
    expect(engine.calls[0]!.prompt).toBe('Once');
  });

  test('with a suffix is that of the template for filling gaps', async () => {
    const { service, engine } = setUp();
    const request = generateRequest({ model: 'inserts', prompt: 'a', suffix: 'b', system: 'unused' });
    const answer = await finished(await service.generate(request, neverAborted));
    expect(engine.calls[0]!.prompt).toBe('<P>a<S>b<M>');
    expect(engine.tokenizer.decode(answer.done.context!)).toBe('<P>a<S>b<M>Hello there, friend.');
  });

  test('with context follows the text of the context, without the messages of the model', async () => {
    const { service, engine } = setUp(() => ['x']);
    const context = engine.tokenizer.encode('Once upon a time');
    const request = generateRequest({
      model: 'pirate',
      context,
      prompt: 'More',
      options: { num_predict: 1 },
    });
    await finished(await service.generate(request, neverAborted));
    expect(engine.calls[0]!.prompt).toMatch(/^Once upon a time<\|im_start\|>system\nYou are a pirate/);
    expect(engine.calls[0]!.prompt).not.toContain('Arr!');
  });

  test('with context that does not fit drops messages and retains the context', async () => {
    const { service, engine } = setUp(() => ['x']);
    const context = engine.tokenizer.encode('Once upon a time');
    const system = Array.from({ length: 300 }, (_, n) => `s${n}`).join(' ');
    const request = generateRequest({ context, prompt: 'More', system, options: { num_ctx: 256 } });
    await finished(await service.generate(request, neverAborted));
    expect(engine.tokenizer.decode(engine.calls[0]!.request.prompt as number[])).toMatch(/^Once upon a time/);
  });

  test('with raw is never shortened by dropping', async () => {
    const { service, engine } = setUp(() => ['x']);
    const prompt = Array.from({ length: 400 }, (_, n) => `w${n}`).join(' ');
    await finished(
      await service.generate(generateRequest({ raw: true, prompt, options: { num_ctx: 256 } }), neverAborted),
    );
    const cut = engine.tokenizer.decode(engine.calls[0]!.request.prompt as number[]);
    expect(cut.startsWith('w0 w1 w2 w3 w274')).toBe(true);
    expect(cut.endsWith('w399')).toBe(true);
  });
});

describe('images', () => {
  test('are passed in the order of their placeholders in the prompt', async () => {
    const { service, engine } = setUp(undefined, { imageTokens: 3 });
    const messages = [
      withImages('One [img] and', 1, 2),
      { role: 'assistant', content: 'Yes' },
      withImages('Three', 3),
    ];
    await finished(await service.chat(chatRequest({ model: 'sees', messages }), neverAborted));
    expect(engine.calls[0]!.request.media).toEqual([image(2), image(1), image(3)]);
    expect(engine.calls[0]!.request.prompt).toContain(`${MEDIA_MARKER}One ${MEDIA_MARKER} and<|im_end|>`);
  });

  test('are absent from the request of a prompt without them', async () => {
    const { service, engine } = setUp(undefined, { imageTokens: 3 });
    await finished(await service.chat(chatRequest({ model: 'sees' }), neverAborted));
    expect(engine.calls[0]!.request).not.toHaveProperty('media');
  });

  test('may be audio, which becomes WAV files with the rate of speech', async () => {
    const { service, engine } = setUp(undefined, { imageTokens: 3 });
    const speech = wavFile(0.5, undefined, 8000);
    const messages = [{ ...user('Listen'), images: [speech] }];
    await finished(await service.chat(chatRequest({ model: 'hears', messages }), neverAborted));
    const [heard] = engine.calls[0]!.request.media!;
    const { sampleRate, channels } = await decodeAudio(heard!, neverAborted);
    expect([sampleRate, channels.length, channels[0]!.length]).toEqual([16_000, 1, 8000]);
  });

  test('that are damaged audio are refused by their position', async () => {
    const { service } = setUp(undefined, { imageTokens: 3 });
    const messages = [{ ...user('Listen'), images: [wavFile(0.5), wavFile(0)] }];
    const run = await service.chat(chatRequest({ model: 'hears', messages }), neverAborted);
    await expect(finished(run)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('audio 2 cannot be read'),
    });
  });

  test.each([
    ['audio for a model that sees', 'sees', wavFile(0.1)],
    ['an image for a model that hears', 'hears', image(1)],
  ])('are refused: %s', async (_, model, file) => {
    const { service } = setUp(undefined, { imageTokens: 3 });
    const request = chatRequest({ model, messages: [{ ...user('One'), images: [file] }] });
    await expect(service.chat(request, neverAborted)).rejects.toMatchObject(REFUSED.template);
  });

  const REFUSED = {
    native: {
      status: 500,
      message: JSON.stringify({
        error: {
          code: 500,
          message:
            'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
          type: 'server_error',
        },
      }),
    },
    template: {
      status: 400,
      message: JSON.stringify({
        error: {
          code: 400,
          message: 'Multimodal data provided, but model does not support multimodal requests.',
          type: 'invalid_request_error',
        },
      }),
    },
  };
  test.each([
    ['a model without a projector', 'm', 3, REFUSED.template],
    ['a native chat template without a projector', 'native', 3, REFUSED.native],
    ['an engine that takes none', 'sees', undefined, REFUSED.template],
  ])('are refused by %s', async (_, model, imageTokens, refusal) => {
    const { service } = setUp(undefined, imageTokens === undefined ? {} : { imageTokens });
    const request = chatRequest({ model, messages: [withImages('One', 1)] });
    await expect(service.chat(request, neverAborted)).rejects.toMatchObject(refusal);
  });

  test('are refused when no engine for the format of the model takes them', async () => {
    const { service, host, engine } = setUp(undefined, { imageTokens: 3 });
    Object.assign(engine, { formats: ['mlc'] });
    expect(host.languageEngines).toEqual([engine]);
    const request = chatRequest({ model: 'sees', messages: [withImages('One', 1)] });
    await expect(service.chat(request, neverAborted)).rejects.toMatchObject(REFUSED.template);
  });
});

describe('a chat that continues its last message', () => {
  const assistant = (content: string) => ({ role: 'assistant', content });

  test('ends its prompt with that message, and its answer begins with it', async () => {
    const { service, engine } = setUp(() => [' more']);
    const messages = [user('Hi'), assistant('Once')];
    const request = chatRequest({ messages, continuesLast: true });
    const answer = await finished(await service.chat(request, neverAborted));
    expect(engine.calls[0]!.prompt).toBe('<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nOnce');
    expect(answer.content).toBe('Once more');
  });

  test('retains that message where others are dropped', async () => {
    const { service, engine } = setUp(() => ['x']);
    const long = Array.from({ length: 300 }, (_, n) => `w${n}`).join(' ');
    const messages = [user(long), assistant('a'), user('b'), assistant('Once')];
    const request = chatRequest({ messages, continuesLast: true, options: { num_ctx: 256 } });
    await finished(await service.chat(request, neverAborted));
    expect(engine.calls[0]!.prompt).toMatch(/assistant\nOnce$/);
  });

  test.each([[[user('Hi')]], [[user('Hi'), assistant('')]]])(
    'is another chat without one',
    async (messages) => {
      const { service, engine } = setUp();
      const prompts: string[] = [];
      for (const continuesLast of [true, false])
        await finished(await service.chat(chatRequest({ messages, continuesLast }), neverAborted));
      for (const { prompt } of engine.calls) prompts.push(String(prompt));
      expect(prompts[0]).toBe(prompts[1]);
    },
  );
});
