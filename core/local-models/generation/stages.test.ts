/** Answers that need several generations of the engine, that fail, or that are cancelled: each stage of a run. */

import { describe, expect, test } from 'vitest';
import { OutOfMemory, RequestRefused } from '#core/host';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import type { EngineScript } from '#test/support/local-models/scripted-engine.ts';
import {
  chatRequest,
  events,
  finished,
  generateRequest,
  setUp,
  user,
  weatherTool,
} from '#test/support/local-models/text-runs.ts';
import type { Run } from '../runs/events.ts';

const thinkThenAnswer: EngineScript = (_, { grammar }) =>
  grammar ? ['{', '"a"', ':1', '}'] : ['Hm', '.', '</think>', ' free', ' text'];
const thinks = (rest: object = {}) => chatRequest({ model: 'thinks', format: 'json', ...rest });

function answerOf(run: Run) {
  if (run.kind !== 'events') throw new Error(run.kind);
  return run;
}

describe('an answer after thinking with a grammar', () => {
  test('has the rest of num_predict, and the other settings of the first generation', async () => {
    const { service, engine } = setUp(thinkThenAnswer);
    const options = { num_predict: 10, seed: 5, num_keep: 2 };
    const request = thinks({ options, shift: false, logprobs: true, topLogprobs: 1 });
    const answer = await finished(await service.chat(request, neverAborted));
    expect(answer).toMatchObject({ thinking: 'Hm.', content: '{"a":1}', done: { reason: 'stop' } });
    const [first, second] = engine.calls.map((call) => call.request);
    expect(first).toMatchObject({ maxTokens: 10, keep: 2, shift: false, topLogprobs: 1 });
    expect(first).not.toHaveProperty('grammar');
    expect(second).toMatchObject({ maxTokens: 7, keep: 2, shift: false, topLogprobs: 1 });
    expect(second!.sampling).toEqual(first!.sampling);
    expect(second!.grammar).toContain('root ::=');
  });

  test('ends with length when the engine says so', async () => {
    const { service } = setUp(thinkThenAnswer);
    const answer = await finished(await service.chat(thinks({ options: { num_predict: 5 } }), neverAborted));
    expect(answer).toMatchObject({ content: '{"a"', done: { reason: 'length' } });
  });

  test('with one token left is generated; with none it is not', async () => {
    for (const [num_predict, content, calls] of [
      [4, '{', 2],
      [3, '', 1],
    ] as const) {
      const { service, engine } = setUp(thinkThenAnswer);
      const answer = await finished(await service.chat(thinks({ options: { num_predict } }), neverAborted));
      expect(answer).toMatchObject({ thinking: 'Hm.', content, done: { reason: 'length' } });
      expect(engine.calls).toHaveLength(calls);
    }
  });

  test('continues a prompt that was cut with the tokens of the thinking', async () => {
    const { service, engine } = setUp(thinkThenAnswer);
    const words = Array.from({ length: 1000 }, (_, n) => ` word${n}`).join('');
    const request = thinks({ messages: [user(words)], options: { num_ctx: 256 } });
    await finished(await service.chat(request, neverAborted));
    const [first, second] = engine.calls.map((call) => call.request.prompt as number[]);
    expect(Array.isArray(first)).toBe(true);
    expect(second!.slice(0, first!.length)).toEqual(first);
    expect(engine.tokenizer.decode(second!.slice(first!.length))).toBe('Hm.</think>');
  });

  test('is stopped by a stop string, by an abort, or by an error of the engine', async () => {
    const stopped = setUp(thinkThenAnswer);
    const byString = await finished(
      await stopped.service.chat(thinks({ options: { stop: [':1'] } }), neverAborted),
    );
    expect(byString).toMatchObject({ content: '{"a"', done: { reason: 'stop' } });

    const client = new AbortController();
    const slow = setUp(thinkThenAnswer, { tokenDelay: 1 });
    const reading = (async () => {
      for await (const event of answerOf(await slow.service.chat(thinks(), client.signal)).events)
        if (event.type === 'text' && event.content !== '') client.abort();
    })();
    await expect(reading).rejects.toMatchObject({ status: 499 });
    expect(slow.engine.calls.map(({ outcome }) => outcome)).not.toContain('running');

    const failing = setUp((_, { grammar }) => {
      if (grammar) throw new RequestRefused('the grammar is too large');
      return ['Hm', '</think>'];
    });
    const run = await failing.service.chat(thinks(), neverAborted);
    await expect(events(run)).rejects.toMatchObject({ status: 400 });
    expect(await failing.service.chat(chatRequest({ messages: [] }), neverAborted)).toEqual({
      kind: 'loaded',
    });
  });

  test('drops the text that came in one token with the end of the thinking', async () => {
    const { service } = setUp((_, { grammar }) => (grammar ? ['{}'] : ['Hm', '.</think>free', ' text']));
    const answer = await finished(await service.chat(thinks(), neverAborted));
    expect(answer).toMatchObject({ thinking: 'Hm.', content: '{}', pieces: ['Hm', '.', '{}'] });
  });

  test('is not needed when the thinking has no end', async () => {
    const { service, engine } = setUp(() => ['Hm', '.']);
    const answer = await finished(await service.chat(thinks(), neverAborted));
    expect(answer).toMatchObject({ thinking: 'Hm.', content: '', done: { reason: 'stop' } });
    expect(engine.calls).toHaveLength(1);
  });

  test('is not needed without thinking: the first generation has the grammar', async () => {
    const { service, engine } = setUp(() => ['{', '}']);
    await finished(await service.chat(thinks({ think: false }), neverAborted));
    expect(engine.calls.map(({ request }) => Boolean(request.grammar))).toEqual([true]);
  });

  test('ends the context of generate with prompt, thinking and answer', async () => {
    const { service, engine } = setUp(thinkThenAnswer);
    const request = generateRequest({ model: 'thinks', format: 'json' });
    const { done } = await finished(await service.generate(request, neverAborted));
    expect(engine.tokenizer.decode(done.context!)).toBe('[user]Hi[assistant]<think>Hm.</think>{"a":1}');
  });
});

describe('the end of an answer', () => {
  test('by the engine has its reason', async () => {
    const { service } = setUp(() => ['a', 'b', 'c']);
    const answer = await finished(
      await service.chat(chatRequest({ options: { num_predict: 2 } }), neverAborted),
    );
    expect(answer).toMatchObject({ content: 'ab', done: { reason: 'length' } });
  });

  test('by a stop string leaves later tokens of the engine out', async () => {
    const { service, engine } = setUp(() => ['a', '<x>', 'b', 'c'], { tokenDelay: 1 });
    const answer = await finished(
      await service.chat(chatRequest({ options: { stop: ['<x>'] } }), neverAborted),
    );
    expect(answer).toMatchObject({ content: 'a', done: { reason: 'stop', statistics: { evalCount: 2 } } });
    expect(engine.calls[0]!.sent).toBe(2);
  });

  test('comes not for repetition when the model has a chat template of its own', async () => {
    const { service } = setUp(() => Array.from({ length: 60 }, () => ' y'));
    const answer = await finished(await service.chat(chatRequest({ model: 'native' }), neverAborted));
    expect(answer).toMatchObject({ content: ' y'.repeat(60), done: { reason: 'stop' } });
  });

  test('has no context in a chat', async () => {
    const answer = await finished(await setUp().service.chat(chatRequest(), neverAborted));
    expect(answer.done).not.toHaveProperty('context');
  });

  test('follows empty tokens, which have no events', async () => {
    const { service } = setUp(() => ['a', '', 'b']);
    const answer = await finished(await service.chat(chatRequest(), neverAborted));
    expect(answer).toMatchObject({ pieces: ['a', 'b'], done: { statistics: { evalCount: 4 } } });
  });
});

test('the beginning of an answer that the request contains is the first event', async () => {
  const { service } = setUp(() => [' Paris', '.']);
  const messages = [user('Q'), { role: 'assistant', content: 'It is' }];
  const answer = await finished(await service.chat(chatRequest({ model: 'native', messages }), neverAborted));
  expect(answer.pieces).toEqual(['It is', ' Paris', '.']);
});

test('several calls in one answer have distinct ids', async () => {
  const call = '{"name": "get_weather", "arguments": {}}';
  const { service } = setUp(() => [`[${call}, ${call}]`]);
  const answer = await finished(
    await service.chat(chatRequest({ model: 'calls', tools: [weatherTool] }), neverAborted),
  );
  const ids = (answer.calls as { id: string }[]).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(2);
});

describe('an error', () => {
  test.each<[string, Error, number, string]>([
    ['of the request', new RequestRefused('bad image'), 400, '"message":"bad image"'],
    ['of the memory', new OutOfMemory('5 GB short'), 500, 'model "m:latest" requires more memory'],
  ])('%s keeps its status, and the next request is served', async (_, error, status, message) => {
    let fails = true;
    const { service } = setUp(() => {
      if (fails) throw error;
      return ['ok'];
    });
    const run = answerOf(await service.chat(chatRequest(), neverAborted));
    await expect(events(run)).rejects.toMatchObject({ status, message: expect.stringContaining(message) });
    fails = false;
    expect(await finished(await service.chat(chatRequest(), neverAborted))).toMatchObject({ content: 'ok' });
  });

  test('that is none of the engine errors is passed on', async () => {
    const { service } = setUp(() => {
      throw new TypeError('a bug');
    });
    await expect(events(await service.chat(chatRequest(), neverAborted))).rejects.toThrow(TypeError);
  });
});

describe('the queue', () => {
  test('refuses a request before its run starts when it is full, after all checks of the request', async () => {
    const { service, host } = setUp(undefined, { tokenDelay: 5 });
    host.settings.set('OLLAMA_MAX_QUEUE', '1');
    const first = answerOf(await service.chat(chatRequest(), neverAborted));
    await first.ready;
    const second = await service.chat(chatRequest(), neverAborted);
    await expect(service.chat(chatRequest(), neverAborted)).rejects.toMatchObject({ status: 503 });
    const invalid = chatRequest({ format: { type: 'nonsense' } });
    await expect(service.chat(invalid, neverAborted)).rejects.toMatchObject({ status: 400 });
    for (const run of [first, second])
      expect(await finished(run)).toMatchObject({ content: 'Hello there, friend.' });
  });

  test('serves runs in the order of their requests, one at a time', async () => {
    const { service, engine } = setUp((prompt) => [prompt.includes('One') ? '1' : '2'], { tokenDelay: 2 });
    const runs = [
      await service.chat(chatRequest({ messages: [user('One')] }), neverAborted),
      await service.chat(chatRequest({ messages: [user('Two')] }), neverAborted),
    ];
    const answers = await Promise.all(runs.map((run) => finished(run)));
    expect(answers.map(({ content }) => content)).toEqual(['1', '2']);
    expect(engine.calls.map(({ prompt }) => prompt.includes('One'))).toEqual([true, false]);
  });
});

describe('a rendered prompt', () => {
  test('with context needs the tokenizer of the model, and releases it', async () => {
    const { service, engine } = setUp();
    const context = (await finished(await service.generate(generateRequest(), neverAborted))).done.context!;
    const request = generateRequest({ prompt: 'More', context, debugRenderOnly: true });
    expect(await service.generate(request, neverAborted)).toMatchObject({
      kind: 'rendered',
      text: expect.stringMatching(/Hello there, friend\.<\|im_start\|>user\nMore/),
    });
    expect(engine.calls).toHaveLength(1);
    await finished(await service.generate(generateRequest(), neverAborted));
  });

  test('with context that the model does not know is an error, and releases the model', async () => {
    const { service } = setUp();
    const request = generateRequest({ context: [999], debugRenderOnly: true });
    await expect(service.generate(request, neverAborted)).rejects.toThrow('unknown token 999');
    await expect(
      events(await service.generate({ ...request, debugRenderOnly: false }, neverAborted)),
    ).rejects.toThrow('unknown token 999');
    expect(await finished(await service.generate(generateRequest(), neverAborted))).toMatchObject({
      content: 'Hello there, friend.',
    });
  });
});
