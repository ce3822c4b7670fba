import { describe, expect, test } from 'vitest';
import { ContextExceeded, type LanguageModel } from '#core/host';
import type { Message } from '../base/messages.ts';
import { insertPlaceholders } from '../prompting/image-placeholders.ts';
import { fitPrompt } from './fit-prompt.ts';
import type { RenderedPrompt } from './prompt.ts';

const never = new AbortController().signal;
const message = (role: string, content: string): Message => ({ role, content });
const user = (content: string) => message('user', content);
const words = (count: number, word = 'w') => Array.from({ length: count }, () => word).join(' ');

/** A model whose tokens are the words of a text. `tokenized` lists all texts that it was asked about. */
function wordModel(contextLength: number) {
  const tokenized: string[] = [];
  const model = {
    contextLength,
    async tokenize(text: string, signal?: AbortSignal) {
      signal?.throwIfAborted();
      tokenized.push(text);
      return text.split(/\s+/).flatMap((word, index) => (word === '' ? [] : [index]));
    },
  } as unknown as LanguageModel;
  return { model, tokenized };
}

function prompt(messages: Message[], changes: Partial<RenderedPrompt> = {}): RenderedPrompt {
  const render = (list: Message[]) => list.map(({ content }) => content).join(' ');
  return {
    text: render(messages),
    messages,
    render,
    images: [],
    prefill: '',
    template: '',
    native: false,
    truncate: true,
    shift: true,
    keep: 4,
    ...changes,
  };
}

const exceeded = (tokens: number, contextLength: number) => new ContextExceeded(tokens, contextLength);
const shortened = (
  contextLength: number,
  rendered: RenderedPrompt,
  tokens = rendered.text.split(' ').length,
) => fitPrompt(wordModel(contextLength).model, rendered, exceeded(tokens, contextLength), never);
const refusal = (tokens: number, contextLength: number) => ({
  status: 400,
  message: expect.stringContaining(
    `request (${tokens} tokens) exceeds the available context size (${contextLength}`,
  ),
});

describe('dropping messages', () => {
  test.each([
    [10, 'c d e f'],
    [7, 'd e f'],
    [6, 'e f'],
    [4, 'f'],
  ])('drops as few as a context of %i needs', async (contextLength, expected) => {
    const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
    const messages = letters.map((letter) => user(words(2, letter)));
    const fitted = await shortened(contextLength, prompt(messages));
    const text = expected
      .split(' ')
      .map((letter) => words(2, letter))
      .join(' ');
    expect(fitted).toEqual({ text, prompt: text });
  });

  test('leaves room for one token of the answer: a prompt of the context length does not fit', async () => {
    const messages = [user('a'), user(words(3, 'b')), user('c')];
    expect((await shortened(4, prompt(messages))).text).toBe('c');
    expect((await shortened(5, prompt(messages))).text).toBe('b b b c');
  });

  test('retains system messages, and the order of all messages', async () => {
    const messages = [
      message('system', 's1'),
      user(words(9)),
      message('system', 's2'),
      user(words(9)),
      user('last'),
    ];
    expect((await shortened(6, prompt(messages))).text).toBe('s1 s2 last');
  });

  test('does not repeat system messages that come after the dropped ones', async () => {
    const messages = [user(words(9)), message('system', 's1'), user('b'), message('system', 's2'), user('c')];
    expect((await shortened(6, prompt(messages))).text).toBe('s1 b s2 c');
  });

  test('takes few attempts, each on the tokenizer', async () => {
    const { model, tokenized } = wordModel(5);
    const messages = Array.from({ length: 64 }, () => user('w'));
    await fitPrompt(model, prompt(messages), exceeded(64, 5), never);
    expect(tokenized.length).toBeLessThanOrEqual(7);
  });

  test('stops when the request is canceled', async () => {
    const { model } = wordModel(5);
    const rendered = prompt([user('a'), user('b'), user('c')]);
    const fitting = fitPrompt(model, rendered, exceeded(9, 5), AbortSignal.abort(new Error('left')));
    await expect(fitting).rejects.toThrow('left');
  });
});

describe('cutting the last message', () => {
  const last = Array.from({ length: 30 }, (_, n) => `w${n}`).join(' ');

  test('retains the first tokens and half of the remaining context from the end', async () => {
    const fitted = await shortened(10, prompt([user('old'), user(last)], { keep: 4 }));
    expect(fitted.text).toBe(last);
    expect(fitted.prompt).toEqual([0, 1, 2, 3, 27, 28, 29]);
  });

  test('retains at most two tokens less than the context', async () => {
    const fitted = await shortened(10, prompt([user(last)], { keep: 99 }));
    expect(fitted.prompt).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 29]);
  });

  test('retains system messages in the text that is cut', async () => {
    const fitted = await shortened(
      10,
      prompt([message('system', 's'), user('old'), user(last)], { keep: 0 }),
    );
    expect(fitted.text).toBe(`s ${last}`);
    expect(fitted.prompt).toEqual([26, 27, 28, 29, 30]);
  });

  test('works on a prompt without messages', async () => {
    const fitted = await shortened(10, prompt([], { text: last, keep: 1 }));
    expect(fitted).toEqual({ text: last, prompt: [0, 26, 27, 28, 29] });
  });

  test('tokenizes the last message once', async () => {
    const { model, tokenized } = wordModel(10);
    await fitPrompt(model, prompt([user('old'), user(last)]), exceeded(31, 10), never);
    expect(tokenized).toEqual([last]);
  });
});

describe('a prompt is refused', () => {
  const last = words(30);

  test('with the length of the complete prompt when it must not be truncated', async () => {
    await expect(shortened(10, prompt([user(last)], { truncate: false }), 33)).rejects.toMatchObject(
      refusal(33, 10),
    );
  });

  test('with the length of the last message when the chat template is native', async () => {
    const rendered = prompt([user(words(9)), user(last)], { native: true });
    await expect(shortened(10, rendered)).rejects.toMatchObject(refusal(30, 10));
  });

  test('when it must not be shifted', async () => {
    await expect(shortened(10, prompt([user(last)], { shift: false }))).rejects.toMatchObject({
      status: 400,
      message:
        'the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length',
    });
  });
});

describe('images', () => {
  const image = new Uint8Array(1);
  const withImage = (content: string): Message => ({ ...user(content), images: [image] });
  const withImages = (messages: Message[]) => prompt(insertPlaceholders(messages).messages);

  test('count for as many tokens as the engine found, rounded up', async () => {
    // 4 words and two images: the engine counted 4 + 2 * 2.5 tokens, so each image counts for three.
    const messages = [user('a'), withImage('b'), user('c'), withImage('d')];
    const texts = async (contextLength: number) =>
      (await shortened(contextLength, withImages(messages), 9)).text.replace(/[\u{E000}\u{E001}\d]/gu, '');
    expect(await texts(10)).toBe('b c d');
    expect(await texts(9)).toBe('c d');
    expect(await texts(6)).toBe('c d');
    expect(await texts(5)).toBe('d');
  });

  test('are never cut out of a message', async () => {
    const rendered = withImages([user('old'), withImage(words(30))]);
    await expect(shortened(10, rendered, 50)).rejects.toMatchObject(refusal(50, 10));
  });
});
