import { beforeEach, describe, expect, test } from 'vitest';
import type { EngineEvent, GenerateRequest } from '#core/host';
import { greedySampling } from '#test/support/local-models/greedy-sampling.ts';
import { Generator } from './generator.ts';
import { TokenSampler } from './sampler.ts';

const LETTERS = 'abcdefghij';
const STOP = 9;
const tokenizer = {
  encode: (text: string) => [...text].map((letter) => LETTERS.indexOf(letter)),
  decode: (tokens: number[]) => tokens.map((token) => LETTERS[token]).join(''),
};

/** A model for which the next letter of the alphabet is the likeliest, and `a` after `i`. Its end token is `j`. */
function setUp(contextLength = 64) {
  const sampler = new TokenSampler();
  const calls: { tokens: number[]; ignoresGrammar: boolean }[] = [];
  const state = {
    resets: 0,
    context: [] as number[],
    grammar: undefined as string | undefined,
    isFailing: false,
  };
  const steps = {
    ignoresGrammar: false,
    async forward(tokens: number[]) {
      if (state.isFailing) throw new Error('the device is lost');
      calls.push({ tokens, ignoresGrammar: steps.ignoresGrammar });
      state.context.push(...tokens);
      const logits = new Float32Array(LETTERS.length).fill(-5);
      const last = tokens.at(-1)!;
      logits[last === 8 ? 0 : last + 1] = 5;
      return sampler.processLogits(logits).indexOf(0);
    },
    async reset() {
      state.resets++;
      state.context = [];
    },
    async setGrammar(grammar: string | undefined) {
      if (grammar === 'bad') throw new Error('line 1: expected ::=');
      state.grammar = grammar;
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

let fixture: ReturnType<typeof setUp>;
beforeEach(() => {
  fixture = setUp();
});

async function generate(change: Partial<GenerateRequest> = {}, signal = new AbortController().signal) {
  const events: EngineEvent[] = [];
  await fixture.generator.generate(request(change), signal, (event) => events.push(event));
  const end = events.at(-1) as Extract<EngineEvent, { type: 'end' }>;
  const tokens = events.filter((event) => event.type === 'token');
  return { events, end, tokens, text: tokens.map(({ text }) => text).join('') };
}

test('emits each token, and the end with counts at the token limit', async () => {
  const { text, end, events, tokens } = await generate();
  expect(text).toBe('def');
  expect(tokens.map(({ id }) => id)).toEqual([3, 4, 5]);
  expect(events[0]).toEqual({ type: 'progress', processed: 0, total: 3 });
  expect(end).toMatchObject({
    reason: 'length',
    counts: { promptTokens: 3, cachedTokens: 0, generatedTokens: 3 },
  });
  expect(fixture.calls.map(({ tokens: evaluated }) => evaluated)).toEqual([[0, 1, 2], [3], [4]]);
});

test('a prompt that extends the context is evaluated from there, any other from its beginning', async () => {
  await generate();
  const more = await generate({ prompt: 'abcdefgh', maxTokens: 1 });
  expect(more.end.counts.cachedTokens).toBe(5);
  expect(fixture.calls.at(-1)!.tokens).toEqual([5, 6, 7]);
  expect(fixture.state.resets).toBe(0);
  const other = await generate({ prompt: 'acb', maxTokens: 1 });
  expect(other.end.counts.cachedTokens).toBe(0);
  expect(fixture.state.resets).toBe(1);
  expect(other.text).toBe('c');
});

test('the token that ends an answer is counted and not printed', async () => {
  fixture.parts.stopTokens = [5];
  const { text, end } = await generate({ maxTokens: 10 });
  expect(text).toBe('de');
  expect(end).toMatchObject({ reason: 'stop', counts: { generatedTokens: 3 } });
});

test('a full context ends the answer, or with shift loses tokens after the first ones', async () => {
  fixture = setUp(8);
  expect((await generate({ maxTokens: 20 })).end.reason).toBe('length');
  expect(fixture.state.context.length).toBe(7);
  fixture = setUp(8);
  const shifted = await generate({ maxTokens: 12, shift: true, keep: 1 });
  expect(shifted.tokens).toHaveLength(12);
  expect(shifted.text).toBe('defghiabcdef');
  expect(fixture.state.context[0]).toBe(0);
  expect(fixture.state.context.length).toBeLessThan(8);
});

test('a long prompt is evaluated in steps, and only the last one chooses a token', async () => {
  fixture = setUp(2048);
  await generate({ prompt: 'a'.repeat(1100), maxTokens: 1, grammar: 'root ::= "b"' });
  expect(fixture.calls.map(({ tokens, ignoresGrammar }) => [tokens.length, ignoresGrammar])).toEqual([
    [512, true],
    [512, true],
    [76, false],
  ]);
  expect(fixture.state.grammar).toBe('root ::= "b"');
});

describe('refused and failed requests', () => {
  test.each<[string, Partial<GenerateRequest>, object]>([
    [
      'a prompt that is longer than the context',
      { prompt: 'a'.repeat(64) },
      { kind: 'context', promptTokens: 64, contextLength: 64 },
    ],
    [
      'an invalid grammar',
      { grammar: 'bad' },
      { kind: 'refused', message: expect.stringContaining('expected ::=') },
    ],
    ['images', { media: [new Uint8Array(1)] }, { kind: 'refused' }],
  ])('refuses %s and serves the next request', async (_, change, failure) => {
    await expect(generate(change)).rejects.toMatchObject({ failure });
    expect((await generate()).text).toBe('def');
  });

  test('after a failed step the next request evaluates its complete prompt', async () => {
    await generate();
    fixture.state.isFailing = true;
    await expect(generate({ prompt: 'abcdef' })).rejects.toThrow('the device is lost');
    fixture.state.isFailing = false;
    expect((await generate({ prompt: 'abcdefg', maxTokens: 1 })).end.counts.cachedTokens).toBe(0);
  });

  test('an abort stops within a token and keeps the context', async () => {
    const abort = new AbortController();
    const events: EngineEvent[] = [];
    const answer = fixture.generator.generate(request({ maxTokens: 50 }), abort.signal, (event) => {
      events.push(event);
      if (event.type === 'token') abort.abort(new Error('enough'));
    });
    await expect(answer).rejects.toThrow('enough');
    expect(events.filter(({ type }) => type === 'token')).toHaveLength(1);
    expect((await generate({ prompt: 'abcde', maxTokens: 1 })).end.counts.cachedTokens).toBe(3);
  });
});

test('tokens have log probabilities on request', async () => {
  const { tokens } = await generate({ topLogprobs: 2, maxTokens: 1 });
  expect(tokens[0]!.logprob).toMatchObject({
    token: 'd',
    bytes: [100],
    top: [{ token: 'd' }, { token: 'a' }],
  });
  expect((await generate()).tokens[0]).not.toHaveProperty('logprob');
});

test('a missing beginning-of-sequence token is added', async () => {
  fixture.parts.bosToken = 8;
  expect((await generate({ maxTokens: 1 })).end.counts.promptTokens).toBe(4);
  expect((await generate({ prompt: 'iabc', maxTokens: 1 })).end.counts.promptTokens).toBe(4);
});
