import { beforeEach, describe, expect, test } from 'vitest';
import type { EngineEvent, GenerateRequest } from '#core/host';
import { greedySampling } from '#test/support/local-models/greedy-sampling.ts';
import { Generator } from './generator.ts';
import { Sampler } from './sampler.ts';

const LETTERS = 'abcdefghij';
const STOP = 9;
const tokenizer = {
  encode: (text: string) => [...text].map((letter) => LETTERS.indexOf(letter)),
  decode: (tokens: number[]) => tokens.map((token) => LETTERS[token]).join(''),
};

/** Steps of a model that finds the next letter likeliest; `j` ends, and is never reached from `i` by itself. */
function setUp(contextLength = 64) {
  const sampler = new Sampler();
  const calls: { tokens: number[]; loose: boolean }[] = [];
  const state = { resets: 0, held: [] as number[], bound: undefined as string | undefined, fail: false };
  const steps = {
    loose: false,
    async forward(tokens: number[]) {
      if (state.fail) throw new Error('the device is lost');
      calls.push({ tokens, loose: steps.loose });
      state.held.push(...tokens);
      const logits = new Float32Array(LETTERS.length).fill(-5);
      const last = tokens.at(-1)!;
      logits[last === 8 ? 0 : last + 1] = 5;
      return sampler.processLogits(logits).indexOf(0);
    },
    async reset() {
      state.resets++;
      state.held = [];
    },
    async bind(grammar: string | undefined) {
      if (grammar === 'bad') throw new Error('line 1: expected ::=');
      state.bound = grammar;
    },
  };
  const parts = {
    steps,
    sampler,
    tokenizer,
    contextLength,
    stopTokens: [STOP],
    bosToken: undefined as number | undefined,
  };
  return { generator: new Generator(parts), calls, state, parts };
}

const request = (change: Partial<GenerateRequest> = {}): GenerateRequest => ({
  prompt: 'abc',
  sampling: greedySampling({ topK: 0, topP: 1, repeatLastN: 0 }),
  maxTokens: 3,
  keep: 0,
  shift: false,
  ...change,
});

let world: ReturnType<typeof setUp>;
beforeEach(() => {
  world = setUp();
});

async function say(change: Partial<GenerateRequest> = {}, signal = new AbortController().signal) {
  const events: EngineEvent[] = [];
  await world.generator.generate(request(change), signal, (event) => events.push(event));
  const end = events.at(-1) as Extract<EngineEvent, { type: 'end' }>;
  const tokens = events.filter((event) => event.type === 'token');
  return { events, end, tokens, text: tokens.map(({ text }) => text).join('') };
}

test('token by token, with counts, and the end at the limit', async () => {
  const { text, end, events, tokens } = await say();
  expect(text).toBe('def');
  expect(tokens.map(({ id }) => id)).toEqual([3, 4, 5]);
  expect(events[0]).toEqual({ type: 'progress', processed: 0, total: 3 });
  expect(end).toMatchObject({
    reason: 'length',
    counts: { promptTokens: 3, cachedTokens: 0, generatedTokens: 3 },
  });
  expect(world.calls.map(({ tokens: evaluated }) => evaluated)).toEqual([[0, 1, 2], [3], [4]]);
});

test('a prompt that goes on where the context ends is evaluated from there; another one begins anew', async () => {
  await say();
  const more = await say({ prompt: 'abcdefgh', maxTokens: 1 });
  expect(more.end.counts.cachedTokens).toBe(5);
  expect(world.calls.at(-1)!.tokens).toEqual([5, 6, 7]);
  expect(world.state.resets).toBe(0);
  const other = await say({ prompt: 'acb', maxTokens: 1 });
  expect(other.end.counts.cachedTokens).toBe(0);
  expect(world.state.resets).toBe(1);
  expect(other.text).toBe('c');
});

test('a token that ends the answer is counted and not printed', async () => {
  world.parts.stopTokens = [5];
  const { text, end } = await say({ maxTokens: 10 });
  expect(text).toBe('de');
  expect(end).toMatchObject({ reason: 'stop', counts: { generatedTokens: 3 } });
});

test('a full context ends the answer, or is shifted behind what is kept', async () => {
  world = setUp(8);
  expect((await say({ maxTokens: 20 })).end.reason).toBe('length');
  expect(world.state.held.length).toBe(7);
  world = setUp(8);
  const shifted = await say({ maxTokens: 12, shift: true, keep: 1 });
  expect(shifted.tokens).toHaveLength(12);
  expect(shifted.text).toBe('defghiabcdef');
  expect(world.state.held[0]).toBe(0);
  expect(world.state.held.length).toBeLessThan(8);
});

test('a long prompt is evaluated in pieces, of which only the last chooses a token', async () => {
  world = setUp(2048);
  await say({ prompt: 'a'.repeat(1100), maxTokens: 1, grammar: 'root ::= "b"' });
  expect(world.calls.map(({ tokens, loose }) => [tokens.length, loose])).toEqual([
    [512, true],
    [512, true],
    [76, false],
  ]);
  expect(world.state.bound).toBe('root ::= "b"');
});

describe('what cannot be done', () => {
  test.each<[string, Partial<GenerateRequest>, object]>([
    [
      'a prompt that does not fit',
      { prompt: 'a'.repeat(64) },
      { kind: 'context', promptTokens: 64, contextLength: 64 },
    ],
    [
      'a grammar that is none',
      { grammar: 'bad' },
      { kind: 'refused', message: expect.stringContaining('expected ::=') },
    ],
    ['images', { media: [new Uint8Array(1)] }, { kind: 'refused' }],
  ])('%s', async (_, change, failure) => {
    await expect(say(change)).rejects.toMatchObject({ failure });
    expect((await say()).text).toBe('def');
  });

  test('a step that fails: the next request begins anew', async () => {
    await say();
    world.state.fail = true;
    await expect(say({ prompt: 'abcdef' })).rejects.toThrow('the device is lost');
    world.state.fail = false;
    expect((await say({ prompt: 'abcdefg', maxTokens: 1 })).end.counts.cachedTokens).toBe(0);
  });

  test('an abort stops within a token, and the context stays what it is', async () => {
    const stop = new AbortController();
    const events: EngineEvent[] = [];
    const answer = world.generator.generate(request({ maxTokens: 50 }), stop.signal, (event) => {
      events.push(event);
      if (event.type === 'token') stop.abort(new Error('enough'));
    });
    await expect(answer).rejects.toThrow('enough');
    expect(events.filter(({ type }) => type === 'token')).toHaveLength(1);
    expect((await say({ prompt: 'abcde', maxTokens: 1 })).end.counts.cachedTokens).toBe(3);
  });
});

test('log probabilities come with each token', async () => {
  const { tokens } = await say({ topLogprobs: 2, maxTokens: 1 });
  expect(tokens[0]!.logprob).toMatchObject({
    token: 'd',
    bytes: [100],
    top: [{ token: 'd' }, { token: 'a' }],
  });
  expect((await say()).tokens[0]).not.toHaveProperty('logprob');
});

test('the token that begins every text is added where it is missing', async () => {
  world.parts.bosToken = 8;
  expect((await say({ maxTokens: 1 })).end.counts.promptTokens).toBe(4);
  expect((await say({ prompt: 'iabc', maxTokens: 1 })).end.counts.promptTokens).toBe(4);
});
