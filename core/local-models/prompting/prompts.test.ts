import { describe, expect, test } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import { chatRequest, events, finished, setUp, user } from '#test/support/local-models/text-runs.ts';
import type { ChatRequest } from '../runs/requests.ts';

const rendered = async (rest: Partial<ChatRequest>) => {
  const run = await setUp().service.chat(chatRequest({ ...rest, debugRenderOnly: true }), neverAborted);
  return run.kind === 'rendered' ? run.text : run;
};

describe('a prompt', () => {
  const turn = (role: string, content: string) => `<|im_start|>${role}\n${content}<|im_end|>\n`;
  const open = '<|im_start|>assistant\n';

  test.each<[string, Partial<ChatRequest>, string]>([
    ['is rendered by the TEMPLATE', {}, turn('user', 'Hi') + open],
    [
      'begins with the system prompt and the messages of the model',
      { model: 'pirate' },
      turn('system', 'You are a pirate.') +
        turn('user', 'hi') +
        turn('assistant', 'Arr!') +
        turn('user', 'Hi') +
        open,
    ],
    [
      'has the messages of the model before a system message of the request',
      { model: 'pirate', messages: [{ role: 'system', content: 'S' }, user('Q')] },
      turn('user', 'hi') + turn('assistant', 'Arr!') + turn('system', 'S') + turn('user', 'Q') + open,
    ],
    ['is rendered by the chat template of a file', { model: 'native' }, '[user]Hi[assistant]'],
    [
      'of a model with a RENDERER is rendered by the chat template of its file: the TEMPLATE knows no roles',
      { model: 'renderer', messages: [{ role: 'system', content: 'S' }, user('Q')] },
      '[system]S[user]Q[assistant]',
    ],
    [
      'of a model with a RENDERER continues an answer',
      { model: 'renderer', messages: [user('Q'), { role: 'assistant', content: 'The' }] },
      '[user]Q[assistant]The',
    ],
    [
      'of a model with a RENDERER and no chat template uses the TEMPLATE',
      { model: 'renderer-alone' },
      '<Hi>',
    ],
    ['may end inside the thinking', { model: 'thinks' }, '[user]Hi[assistant]<think>'],
    [
      'does not end inside the thinking with think false',
      { model: 'thinks', think: false },
      '[user]Hi[assistant]',
    ],
  ])('%s', async (_, rest, text) => {
    expect(await rendered(rest)).toBe(text);
  });

  test('is rendered without loading the model', async () => {
    const { service, engine } = setUp();
    await service.chat(chatRequest({ debugRenderOnly: true }), neverAborted);
    expect(engine.loads).toEqual([]);
  });

  test('of a chat template continues an answer, and the answer repeats its beginning', async () => {
    const { service, engine } = setUp(() => [' Paris']);
    const messages = [user('Q'), { role: 'assistant', content: 'The capital is' }];
    const answer = await finished(
      await service.chat(chatRequest({ model: 'native', messages }), neverAborted),
    );
    expect(engine.calls[0]?.prompt).toBe('[user]Q[assistant]The capital is');
    expect(answer.content).toBe('The capital is Paris');
  });
});

describe('a prompt that does not fit', () => {
  const long = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(' ');
  const options = { num_ctx: 256 };

  test('loses its oldest messages, except the system message and the last one', async () => {
    const { service, engine } = setUp();
    const messages = [
      { role: 'system', content: 'Be brief.' },
      user(long(200)),
      { role: 'assistant', content: long(100) },
      user('first'),
      { role: 'assistant', content: 'second' },
      user('last'),
    ];
    await finished(await service.chat(chatRequest({ messages, options }), neverAborted));
    const prompt = engine.calls[0]!.prompt;
    expect(prompt).not.toContain('word199');
    for (const text of ['Be brief.', 'word99', 'first', 'second', 'last']) expect(prompt).toContain(text);
  });

  test('is cut to its beginning and end when the last message alone is too long', async () => {
    const { service, engine } = setUp();
    const answer = await finished(
      await service.chat(chatRequest({ messages: [user('old'), user(long(1200))], options }), neverAborted),
    );
    expect(answer.done.statistics.promptEvalCount).toBe(130);
    const prompt = engine.calls[0]!.prompt;
    expect(prompt.startsWith('<|im_start|>user')).toBe(true);
    expect(prompt.endsWith('<|im_start|>assistant\n')).toBe(true);
  });

  const tooLong =
    'the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length';
  const exceeds = (tokens: number) =>
    JSON.stringify({
      error: {
        code: 400,
        message: `request (${tokens} tokens) exceeds the available context size (256 tokens), try increasing it`,
        type: 'exceed_context_size_error',
        n_prompt_tokens: tokens,
        n_ctx: 256,
      },
    });

  test.each<[string, Partial<ChatRequest>, string]>([
    ['truncate false', { truncate: false }, exceeds(1207)],
    ['truncate and shift false', { truncate: false, shift: false }, exceeds(1207)],
    ['shift false', { shift: false }, tooLong],
    ['a chat template of its own', { model: 'native' }, exceeds(1200)],
  ])('is refused with %s', async (_, rest, message) => {
    const { service } = setUp();
    const request = chatRequest({ messages: [user(long(1200))], options, ...rest });
    const run = await service.chat(request, neverAborted);
    if (run.kind !== 'events') throw new Error(run.kind);
    await expect(run.ready).rejects.toMatchObject({ status: 400, message });
    await expect(events(run)).rejects.toMatchObject({ status: 400, message });
  });

  test('num_ctx is rounded up to a multiple of 256 and limited to the context of the training', async () => {
    for (const [num_ctx, length] of [
      [128, 256],
      [512, 512],
      [100_000, 8192],
      [undefined, 4096],
    ]) {
      const { service, engine } = setUp();
      await finished(
        await service.chat(chatRequest({ options: { ...(num_ctx && { num_ctx }) } }), neverAborted),
      );
      expect([num_ctx, engine.loads[0]?.options.contextLength]).toEqual([num_ctx, length]);
    }
  });
});
