import { describe, expect, test } from 'vitest';
import { neverAborted } from '#test/support/host/never-aborted.ts';
import type { EngineScript } from '#test/support/local-models/scripted-engine.ts';
import {
  chatRequest,
  events,
  finished,
  type JoinedRun,
  setUp,
  weatherTool,
} from '#test/support/local-models/text-runs.ts';

describe('an answer', () => {
  test('is one event for each token, with counts and nanoseconds at the end', async () => {
    const { service } = setUp(() => ['The', ' capital', '.']);
    const all = await events(await service.chat(chatRequest(), neverAborted));
    expect(all.slice(0, -1)).toEqual(
      ['The', ' capital', '.'].map((content) => ({ type: 'text', content, thinking: '' })),
    );
    expect(all.at(-1)).toEqual({
      type: 'done',
      reason: 'stop',
      statistics: {
        totalDuration: expect.any(Number),
        loadDuration: expect.any(Number),
        promptEvalCount: 8,
        promptEvalDuration: 8e6,
        evalCount: 4,
        evalDuration: 4e7,
      },
    });
    const { statistics } = all.at(-1) as JoinedRun['done'];
    expect(statistics.loadDuration).toBeGreaterThan(0);
    expect(statistics.totalDuration).toBeGreaterThan(statistics.loadDuration);
    for (const value of Object.values(statistics)) expect(Number.isInteger(value)).toBe(true);
  });

  test('ends before a stop string, however tokens divide it', async () => {
    const { service, engine } = setUp(() => ['One', ' <', '|', 'end', '|> two', ' three']);
    const options = { stop: ['<|end|>'] };
    const answer = await finished(await service.chat(chatRequest({ options }), neverAborted));
    expect(answer.content).toBe('One ');
    expect(answer.done).toMatchObject({ reason: 'stop', statistics: { promptEvalCount: 8, evalCount: 5 } });
    expect(engine.calls[0]?.outcome).not.toBe('running');
  });

  test('has an event of its own for text that only began like a stop string', async () => {
    const { service } = setUp(() => ['a', ' <', '|e']);
    const answer = await finished(
      await service.chat(chatRequest({ options: { stop: ['<|end|>'] } }), neverAborted),
    );
    expect(answer.pieces).toEqual(['a', ' ', '<|e']);
    expect(answer.done.reason).toBe('stop');
  });

  test('ends at the stop strings of the request instead of those of the model', async () => {
    const script: EngineScript = () => ['a<x>b', '<y>c'];
    const byModel = await finished(
      await setUp(script).service.chat(chatRequest({ model: 'pirate' }), neverAborted),
    );
    expect(byModel.content).toBe('a');
    const byRequest = await finished(
      await setUp(script).service.chat(
        chatRequest({ model: 'pirate', options: { stop: ['<y>'] } }),
        neverAborted,
      ),
    );
    expect(byRequest.content).toBe('a<x>b');
  });

  test('that repeats a token 31 times ends with reason length and all statistics', async () => {
    const { service } = setUp(() => ['x', ...Array.from({ length: 60 }, () => ' y')]);
    const answer = await finished(await service.chat(chatRequest(), neverAborted));
    expect(answer.content).toBe(`x${' y'.repeat(31)}`);
    expect(answer.done.reason).toBe('length');
    expect(answer.done.statistics.evalCount).toBe(33);
    expect(answer.done.statistics.promptEvalCount).toBe(8);
  });

  test.each([
    [1, 1],
    [3, 3],
    [0, 40960],
    [-1, 40960],
    [-2, 40960],
    [999_999, 40960],
  ])('with num_predict %i has at most %i tokens', async (num_predict, most) => {
    const { service, engine } = setUp(() => Array.from({ length: 5 }, (_, n) => ` ${n}`));
    const answer = await finished(
      await service.chat(chatRequest({ options: { num_predict } }), neverAborted),
    );
    expect(engine.calls[0]?.request.maxTokens).toBe(most);
    expect(answer.done.reason).toBe(most < 5 ? 'length' : 'stop');
  });

  test('has log probabilities on request, of held-back tokens with the event that has their text', async () => {
    const { service } = setUp(() => ['a', ' <', 'b']);
    const request = chatRequest({ logprobs: true, topLogprobs: 2, options: { stop: ['<|'] } });
    const texts = (await events(await service.chat(request, neverAborted))).filter(
      ({ type }) => type === 'text',
    );
    expect(texts).toMatchObject([
      { content: 'a', logprobs: [{ token: 'a', top: [{ token: 'a' }, { token: ' other1' }] }] },
      { content: ' ', logprobs: [{ token: ' <' }] },
      { content: '<b', logprobs: [{ token: 'b' }] },
    ]);
    const plain = await events(await service.chat(chatRequest({ topLogprobs: 3 }), neverAborted));
    expect(JSON.stringify(plain)).not.toContain('logprobs');
  });

  test('is sampled with the options of the model and the request', async () => {
    const { service, engine } = setUp();
    await finished(
      await service.chat(
        chatRequest({ model: 'pirate', options: { temperature: 0, seed: 7, top_k: 3, num_keep: 9 } }),
        neverAborted,
      ),
    );
    expect(engine.calls[0]?.request).toMatchObject({
      maxTokens: 3,
      keep: 9,
      shift: true,
      sampling: { temperature: 0, seed: 7, topK: 3, topP: 0.9, repeatPenalty: 1, repeatLastN: 64 },
    });
  });

  test('limits counts to 32-bit integers', async () => {
    const { service, engine } = setUp();
    await finished(
      await service.chat(chatRequest({ options: { num_keep: 1e18, top_k: 1e12 } }), neverAborted),
    );
    expect(engine.calls[0]?.request).toMatchObject({ keep: 2 ** 31 - 1, sampling: { topK: 2 ** 31 - 1 } });
  });

  test('without a seed has another one each time', async () => {
    const { service, engine } = setUp();
    for (let run = 0; run < 2; run++) await finished(await service.chat(chatRequest(), neverAborted));
    const [first, second] = engine.calls.map((call) => call.request.sampling.seed);
    expect(first).not.toBe(second);
    expect(first).toBeGreaterThanOrEqual(0);
  });
});

describe('thinking', () => {
  test('precedes the answer, in events of its own', async () => {
    const { service } = setUp(() => [' Let', ' me', ' </th', 'ink>\n\n', 'It', ' is.']);
    const answer = await finished(await service.chat(chatRequest({ model: 'thinks' }), neverAborted));
    expect(answer).toMatchObject({ thinking: 'Let me ', content: 'It is.' });
  });

  test('remains in the text when the request turns it off', async () => {
    const { service } = setUp(() => ['a</think>b']);
    const answer = await finished(
      await service.chat(chatRequest({ model: 'thinks', think: false }), neverAborted),
    );
    expect(answer).toMatchObject({ thinking: '', content: 'a</think>b' });
  });

  test('is not bound by the grammar; the answer after it is', async () => {
    const { service, engine } = setUp((_, { grammar }) =>
      grammar ? ['{', '}'] : ['Hm', '</think>', 'free', ' text'],
    );
    const answer = await finished(
      await service.chat(chatRequest({ model: 'thinks', format: 'json' }), neverAborted),
    );
    expect(answer).toMatchObject({ thinking: 'Hm', content: '{}' });
    expect(engine.calls.map(({ request }) => Boolean(request.grammar))).toEqual([false, true]);
    expect(engine.calls[1]?.prompt).toBe('[user]Hi[assistant]<think>Hm</think>');
    expect(answer.done.statistics).toMatchObject({ evalCount: 5 });
  });
});

test('thinking that leaves no room for an answer ends with reason length', async () => {
  const script: EngineScript = () => ['Hm', '</think>', 'x'];
  const request = chatRequest({ model: 'thinks', format: 'json' });
  const few = await finished(
    await setUp(script).service.chat({ ...request, options: { num_predict: 2 } }, neverAborted),
  );
  expect(few).toMatchObject({ thinking: 'Hm', content: '', done: { reason: 'length' } });
  const filling: EngineScript = () => [' a'.repeat(400), '</think>', 'x'];
  const full = await finished(
    await setUp(filling).service.chat({ ...request, options: { num_ctx: 256 } }, neverAborted),
  );
  expect(full).toMatchObject({ content: '', done: { reason: 'length' } });
});

describe('tool calls', () => {
  test('are events of their own, with ids', async () => {
    const { service } = setUp(() => ['{"name":', ' "get_weather",', ' "arguments": {"city":', ' "Paris"}}']);
    const answer = await finished(
      await service.chat(chatRequest({ model: 'calls', tools: [weatherTool] }), neverAborted),
    );
    expect(answer.content).toBe('');
    expect(answer.calls).toEqual([
      { id: expect.stringMatching(/^call_[a-z0-9]{8}$/), name: 'get_weather', arguments: { city: 'Paris' } },
    ]);
    expect(answer.done.reason).toBe('stop');
  });

  test('are text when the request has no tools', async () => {
    const { service } = setUp(() => ['{"name": "get_weather"}']);
    const answer = await finished(await service.chat(chatRequest({ model: 'calls' }), neverAborted));
    expect(answer).toMatchObject({ content: '{"name": "get_weather"}', calls: [] });
  });

  test('of a model with a chat template of its own are marked for the last line', async () => {
    const { service } = setUp(() => [
      '<tool_call>',
      '{"name": "get_weather", "arguments": {}}',
      '</tool_call>',
    ]);
    const run = await service.chat(
      chatRequest({ model: 'native-calls', tools: [weatherTool] }),
      neverAborted,
    );
    expect((await events(run)).slice(0, -1)).toEqual([
      {
        type: 'tool-calls',
        calls: [{ id: expect.stringMatching(/^[A-Za-z0-9]{32}$/), name: 'get_weather', arguments: {} }],
        withEnd: true,
      },
    ]);
  });

  test('of a model with a RENDERER are not marked, as those of one with a TEMPLATE', async () => {
    const { service } = setUp(() => ['<tool_call>\n<function=get_weather>\n</function>\n</tool_call>']);
    const run = await service.chat(chatRequest({ model: 'renderer', tools: [weatherTool] }), neverAborted);
    expect((await events(run)).slice(0, -1)).toEqual([
      {
        type: 'tool-calls',
        calls: [{ id: expect.stringMatching(/^call_[a-z0-9]{8}$/), name: 'get_weather', arguments: {} }],
      },
    ]);
  });

  test('that num_predict cuts off are text', async () => {
    const { service } = setUp(() => [
      'So',
      '.',
      ' <tool_call>',
      '{"name": "get_',
      'weather"}',
      '</tool_call>',
    ]);
    const options = { num_predict: 4 };
    const request = chatRequest({ model: 'native-calls', tools: [weatherTool], options });
    const answer = await finished(await service.chat(request, neverAborted));
    expect(answer).toMatchObject({
      content: 'So. <tool_call>{"name": "get_',
      calls: [],
      done: { reason: 'length' },
    });
  });
});

describe('Harmony', () => {
  const thought = ['<|channel|>', 'analysis', '<|message|>', 'Hm', '.', '<|end|>', '<|start|>', 'assistant'];

  test('is parsed into thinking, calls and text', async () => {
    const { service, engine } = setUp(() => [
      ...thought,
      '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{}',
      '<|call|>',
      'never read',
    ]);
    const answer = await finished(
      await service.chat(chatRequest({ model: 'harmony', tools: [weatherTool] }), neverAborted),
    );
    expect(answer).toMatchObject({
      thinking: 'Hm.',
      content: '',
      calls: [{ name: 'get_weather', arguments: {} }],
    });
    expect(answer.done.reason).toBe('stop');
    expect(engine.calls[0]?.prompt).toBe('<|start|>user<|message|>Hi<|end|><|start|>assistant');
  });

  test('drops thinking that the request turns off', async () => {
    const { service } = setUp(() => [...thought, '<|channel|>', 'final', '<|message|>', 'Four', '.']);
    const answer = await finished(
      await service.chat(chatRequest({ model: 'harmony', think: false }), neverAborted),
    );
    expect(answer).toMatchObject({ thinking: '', content: 'Four.', done: { reason: 'stop' } });
    expect(answer.pieces).toEqual(['Four', '.']);
  });

  test('is bound by a grammar in its final channel only', async () => {
    const { service, engine } = setUp((_, { grammar }) =>
      grammar ? ['{', '}'] : [...thought, '<|channel|>', 'final', '<|message|>', 'free text'],
    );
    const answer = await finished(
      await service.chat(chatRequest({ model: 'harmony', format: 'json' }), neverAborted),
    );
    expect(answer).toMatchObject({ thinking: 'Hm.', content: '{}' });
    expect(engine.calls[1]?.prompt).toBe(
      '<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>',
    );
  });
});
