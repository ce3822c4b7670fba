import { describe, expect, test } from 'vitest';
import { MEDIA_MARKER, RequestRefused } from '#core/host';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { chatRequest, finished, generateRequest, setUp, user } from '#test/support/local-models/text-runs.ts';
import { displayPlaceholders, insertPlaceholders, toMediaPrompt } from '../prompting/image-placeholders.ts';

const image = (byte: number) => new Uint8Array([byte]);
const setUpWithImages = (script?: () => string) => setUp(script, { imageTokens: 10 });

describe('placeholders', () => {
  test('stand before the text of an image, or where the text says [img]', () => {
    const { messages, images } = insertPlaceholders([
      { role: 'user', content: 'A [img] and more', images: [image(1), image(2)] },
      { role: 'assistant', content: 'ok' },
    ]);
    expect(images).toEqual([image(1), image(2)]);
    expect(displayPlaceholders(messages[0]!.content)).toBe('[img-1]A [img-0] and more');
    expect(toMediaPrompt(messages[0]!.content, images)).toEqual({
      prompt: `${MEDIA_MARKER}A ${MEDIA_MARKER} and more`,
      media: [image(2), image(1)],
    });
    expect(messages[1]).toEqual({ role: 'assistant', content: 'ok' });
  });

  test('in the text of a client are removed', () => {
    const { messages, images } = insertPlaceholders([
      { role: 'user', content: `${MEDIA_MARKER}\u{E000}0\u{E001} [img-0]`, images: [image(1)] },
    ]);
    expect(toMediaPrompt(messages[0]!.content, images)).toEqual({
      prompt: `${MEDIA_MARKER}media0 [img-0]`,
      media: [image(1)],
    });
    const plain = [user('\u{E000}0\u{E001}')];
    expect(insertPlaceholders(plain).messages).toBe(plain);
  });
});

describe('runs with images', () => {
  test('pass the images to the engine, in the order of the prompt', async () => {
    const { service, engine } = setUpWithImages();
    const messages = [
      { ...user('One'), images: [image(1)] },
      { role: 'assistant', content: 'Yes.' },
      { ...user('Two'), images: [image(2)] },
    ];
    const answer = await finished(await service.chat(chatRequest({ model: 'sees', messages }), neverAborted));
    expect(engine.calls[0]!.request.media).toEqual([image(1), image(2)]);
    expect(engine.calls[0]!.prompt).toContain(`user\n${MEDIA_MARKER}One<|im_end|>`);
    expect(answer.done.statistics.promptEvalCount).toBeGreaterThan(20);
    const request = generateRequest({ model: 'sees', images: [image(3)] });
    const generated = await finished(await service.generate(request, neverAborted));
    expect(engine.calls[1]!.request.media).toEqual([image(3)]);
    expect(engine.tokenizer.decode(generated.done.context!)).toContain('user\nHi<|im_end|>');
    await finished(await service.generate({ ...request, raw: true }, neverAborted));
    expect(engine.calls[2]!).toMatchObject({ prompt: `${MEDIA_MARKER}Hi`, request: { media: [image(3)] } });
    const shown = await service.generate({ ...request, debugRenderOnly: true }, neverAborted);
    expect(shown).toMatchObject({ kind: 'rendered', text: expect.stringContaining('user\n[img-0]Hi') });
  });

  test('drop images with their messages, and count their tokens', async () => {
    const { service, engine } = setUp(undefined, { imageTokens: 100 });
    const old = { ...user('Old'), images: [image(1)] };
    const messages = [old, old, old, { ...user('New'), images: [image(2)] }];
    const request = chatRequest({ model: 'sees', messages, options: { num_ctx: 256 } });
    await finished(await service.chat(request, neverAborted));
    expect(engine.calls.at(-1)!.request.media).toEqual([image(1), image(2)]);
    const alone = chatRequest({
      model: 'sees',
      messages: [{ ...user('New'), images: [image(1), image(2), image(3)] }],
      options: { num_ctx: 256 },
    });
    await expect(finished(await service.chat(alone, neverAborted))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('exceed_context_size_error'),
    });
  });

  test.each([
    ['a model without a projector', 'm', 10],
    ['an engine without images', 'sees', undefined],
  ])("%s refuses images with Ollama's text", async (_, model, imageTokens) => {
    const { service } = setUp(undefined, imageTokens ? { imageTokens } : {});
    const messages = [{ ...user('Hi'), images: [image(1)] }];
    await expect(service.chat(chatRequest({ model, messages }), neverAborted)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('model does not support multimodal requests'),
    });
  });

  test('answer 400 for an image that the engine cannot read', async () => {
    const { service } = setUpWithImages(() => {
      throw new RequestRefused('the image cannot be read');
    });
    const messages = [{ ...user('Hi'), images: [image(1)] }];
    await expect(
      finished(await service.chat(chatRequest({ model: 'sees', messages }), neverAborted)),
    ).rejects.toMatchObject({
      status: 400,
      message: JSON.stringify({
        error: { code: 400, message: 'the image cannot be read', type: 'invalid_request_error' },
      }),
    });
  });
});
