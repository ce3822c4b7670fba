import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ContextExceeded,
  type Digest,
  EngineCrashed,
  type EngineEvent,
  type GenerateRequest,
  type LanguageEngine,
  type LanguageModel,
  type Sampling,
} from '#core/host';
import { greedyAnswer } from '#test/support/local-models/greedy-answer.ts';
import { greedySampling } from '#test/support/local-models/greedy-sampling.ts';
import { smollm2, smollm2Digest } from '#test/support/model-files/weights.ts';
import { nodeLlamaCppEngine } from './node-llama-cpp.ts';

const TIMEOUT = 120_000;
const greedy = greedySampling();
const user = (text: string) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;
const france = user('What is the capital of France?');
const story = user('Write a very long story about a dragon.');
const never = new AbortController().signal;

const request = (prompt: string | number[], change: Partial<GenerateRequest> = {}): GenerateRequest => ({
  prompt,
  sampling: greedy,
  maxTokens: 64,
  keep: 4,
  shift: true,
  ...change,
});

interface Answer {
  text: string;
  events: EngineEvent[];
  tokens: Extract<EngineEvent, { type: 'token' }>[];
  end: Extract<EngineEvent, { type: 'end' }>;
}
async function run(model: LanguageModel, generateRequest: GenerateRequest, signal = never): Promise<Answer> {
  const events: EngineEvent[] = [];
  for await (const event of model.generate(generateRequest, signal)) events.push(event);
  const tokens = events.filter((event) => event.type === 'token');
  return {
    events,
    tokens,
    text: tokens.map(({ text }) => text).join(''),
    end: events.at(-1) as Answer['end'],
  };
}

let engine: LanguageEngine;
let model: LanguageModel;
const models: LanguageModel[] = [];
async function load(contextLength = 2048): Promise<LanguageModel> {
  const loaded = await engine.load(
    [{ role: 'weights', digest: smollm2Digest as Digest, size: 90_000_000 }],
    { contextLength, batchSize: 512, gpuLayers: -1, threads: 0 },
    never,
    () => {},
  );
  models.push(loaded);
  return loaded;
}

beforeAll(async () => {
  const path = await smollm2();
  engine = nodeLlamaCppEngine({ pathOf: () => path });
  model = await load();
}, TIMEOUT);
afterAll(() => Promise.all(models.map((each) => each.dispose())), TIMEOUT);

test(
  'answers, counts tokens, and caches evaluated ones',
  async () => {
    const first = await run(model, request(france));
    expect(first.text).toBe('The capital of France is Paris.');
    expect(first.events[0]).toMatchObject({ type: 'progress', total: 16 });
    expect(first.end).toMatchObject({
      reason: 'stop',
      counts: { promptTokens: 16, generatedTokens: 8 },
    });
    const again = await run(model, request(france));
    expect(again.text).toBe(first.text);
    expect(again.end.counts).toMatchObject({ promptTokens: 16, cachedTokens: 15, generatedTokens: 8 });
    expect(again.end.counts.promptDuration).toBeGreaterThan(0);
    expect(again.end.counts.generateDuration).toBeGreaterThan(0);

    const continued = await run(model, request(`${france}${first.text}<|im_end|>\n${user('And of Italy?')}`));
    expect(continued.end.counts.cachedTokens).toBeGreaterThanOrEqual(16 + 7);
    expect(model.memory.total).toBeGreaterThan(90_000_000);
    expect(model.contextLength).toBe(2048);
  },
  TIMEOUT,
);

test(
  'gives the same answer as the engine of the browser',
  async () => {
    const { question, tokens, text } = greedyAnswer;
    expect((await run(model, request(user(question), { maxTokens: tokens }))).text).toBe(text);
  },
  TIMEOUT,
);

test(
  'the cache makes an answer faster, never different',
  async () => {
    await run(model, request(story, { maxTokens: 40 }));
    const warm = await run(model, request(`${story}Once upon a time`, { maxTokens: 24 }));
    expect(warm.end.counts.cachedTokens).toBeGreaterThan(10);
    await run(model, request([...(await model.tokenize('Something else entirely'))], { maxTokens: 1 }));
    const cold = await run(model, request(`${story}Once upon a time`, { maxTokens: 24 }));
    expect(cold.end.counts.cachedTokens).toBe(0);
    expect(warm.text).toBe(cold.text);
  },
  TIMEOUT,
);

test(
  'stops within a token, and continues with the next request',
  async () => {
    const controller = new AbortController();
    const reason = new Error('the client left');
    let tokens = 0;
    const running = (async () => {
      for await (const event of model.generate(request(story, { maxTokens: 2000 }), controller.signal)) {
        if (event.type === 'token' && ++tokens === 5) controller.abort(reason);
      }
    })();
    await expect(running).rejects.toBe(reason);
    expect(tokens).toBe(5);
    expect((await run(model, request(france))).text).toBe('The capital of France is Paris.');

    for await (const event of model.generate(request(story, { maxTokens: 2000 }), never)) {
      if (event.type === 'token') break;
    }
    expect((await run(model, request(france, { maxTokens: 2 }))).end.reason).toBe('length');
    await expect(run(model, request(story), AbortSignal.abort(reason))).rejects.toBe(reason);
  },
  TIMEOUT,
);

test(
  'a slow reader gets all events',
  async () => {
    const events = model.generate(request(story, { maxTokens: 300 }), never)[Symbol.asyncIterator]();
    const tokens: number[] = [];
    let last: EngineEvent | undefined;
    for (let event = await events.next(); !event.done; event = await events.next()) {
      last = event.value;
      if (last.type !== 'token') continue;
      tokens.push(last.id!);
      if (tokens.length === 1) await sleep(500);
    }
    expect(tokens).toHaveLength(300);
    expect(last).toMatchObject({ type: 'end', reason: 'length', counts: { generatedTokens: 300 } });
    const again = await run(model, request(story, { maxTokens: 20 }));
    expect(again.tokens.map(({ id }) => id)).toEqual(tokens.slice(0, 20));
  },
  TIMEOUT,
);

test(
  'follows a grammar',
  async () => {
    const grammar = 'root ::= "{\\"city\\": \\"" [A-Z] [a-z]+ "\\"}"';
    const answer = await run(model, request(france, { grammar }));
    expect(answer.text).toMatch(/^\{"city": "[A-Z][a-z]+"\}$/);
    expect(answer.end.reason).toBe('stop');
    await expect(run(model, request(france, { grammar: 'root ::= nowhere' }))).rejects.toThrow('grammar');
    expect((await run(model, request(france))).text).toBe('The capital of France is Paris.');
  },
  TIMEOUT,
);

test(
  'reports probabilities over the entire vocabulary, without changing the answer',
  async () => {
    const answer = await run(model, request(france, { topLogprobs: 20 }));
    expect(answer.text).toBe('The capital of France is Paris.');
    for (const { text, logprob } of answer.tokens) {
      expect(logprob!.token).toBe(text);
      expect(Buffer.from(logprob!.bytes).toString()).toBe(text);
      expect(logprob!.top).toHaveLength(20);
      expect(logprob!.top[0]!.logprob).toBe(logprob!.logprob);
      const sum = logprob!.top.reduce((total, each) => total + Math.exp(each.logprob), 0);
      expect(sum).toBeLessThanOrEqual(1.0001);
      expect(sum).toBeGreaterThan(0.5);
      const values = logprob!.top.map((each) => each.logprob);
      expect(values).toEqual([...values].sort((a, b) => b - a));
    }
    const hot = { ...greedy, temperature: 1.5, seed: 3 };
    const sampled = await run(model, request(story, { sampling: hot, maxTokens: 12, topLogprobs: 0 }));
    const plain = await run(model, request(story, { sampling: hot, maxTokens: 12 }));
    expect(sampled.text).toBe(plain.text);
    expect(sampled.tokens.every(({ logprob }) => logprob!.top.length === 0 && logprob!.logprob <= 0)).toBe(
      true,
    );
  },
  TIMEOUT,
);

test(
  'samples by seed and options',
  async () => {
    const say = async (change: Partial<Sampling>) => {
      const sampling = { ...greedy, temperature: 1.2, topP: 1, ...change };
      return (await run(model, request(story, { sampling, maxTokens: 16 }))).text;
    };
    const first = await say({ seed: 1 });
    expect(await say({ seed: 1 })).toBe(first);
    expect(await say({ seed: 2 })).not.toBe(first);
    expect(await say({ seed: -1 })).not.toBe(await say({ seed: -1 }));
    const best = await say({ temperature: 0 });
    expect(await say({ topK: 1 })).toBe(best);
    expect(await say({ topK: 0, topP: 0.0001 })).toBe(best);
    expect(await say({ topK: 0, minP: 0.9999 })).toBe(best);
    expect(await say({ temperature: -1 })).toBe(best);
  },
  TIMEOUT,
);

test(
  'penalties cover the last `repeatLastN` tokens',
  async () => {
    const prompt = user('Repeat the word apple ten times.');
    const say = async (change: Partial<Sampling>) =>
      (await run(model, request(prompt, { sampling: { ...greedy, ...change }, maxTokens: 30 }))).text;
    const plain = await say({});
    expect(await say({ repeatPenalty: 1.8, repeatLastN: 0 })).toBe(plain);
    expect(await say({ repeatPenalty: 1.8 })).not.toBe(plain);
    expect(await say({ presencePenalty: 2 })).not.toBe(plain);
    expect(await say({ frequencyPenalty: 2, repeatLastN: -1 })).not.toBe(plain);
  },
  TIMEOUT,
);

test(
  'text arrives in complete characters',
  async () => {
    const expected = 'Zürich 🦙🏔️ 東京 é';
    const literal = JSON.stringify(expected);
    const answer = await run(
      model,
      request(user('Say it.'), { grammar: `root ::= ${literal}`, maxTokens: 80 }),
    );
    expect(answer.text).toBe(expected);
    expect(answer.tokens.some(({ text }) => text === '')).toBe(true);
    expect(answer.tokens.every(({ text }) => !text.includes('\uFFFD'))).toBe(true);
    const tokens = await model.tokenize(expected);
    expect(await model.detokenize(tokens)).toBe(expected);
    expect(await model.tokenize('<|im_start|>')).toHaveLength(1);
    await expect(model.detokenize([1_000_000])).rejects.toThrow('not a token');
    await expect(run(model, request([1, -3]))).rejects.toThrow('not a token');
  },
  TIMEOUT,
);

test(
  'accepts tokens, evaluates a prompt without generating, and answers an empty prompt with nothing',
  async () => {
    const tokens = await model.tokenize(france);
    expect((await run(model, request(tokens))).text).toBe('The capital of France is Paris.');
    const evaluated = await run(model, request(story, { maxTokens: 0 }));
    expect(evaluated.end).toMatchObject({
      reason: 'length',
      counts: { promptTokens: 18, generatedTokens: 0 },
    });
    expect((await run(model, request(story, { maxTokens: 1 }))).end.counts.cachedTokens).toBe(17);
    expect((await run(model, request(''))).end).toMatchObject({
      reason: 'stop',
      counts: { promptTokens: 0 },
    });
  },
  TIMEOUT,
);

test(
  'a full context ends the answer, or drops its older half',
  async () => {
    const small = await load(100);
    expect(small.contextLength).toBe(256);
    const cut = await run(small, request(story, { maxTokens: 1000, shift: false }));
    expect(cut.end).toMatchObject({ reason: 'length', counts: { promptTokens: 18, generatedTokens: 238 } });
    const shifted = await run(small, request(story, { maxTokens: 270, shift: true }));
    expect(shifted.end.counts.promptTokens).toBe(18);
    expect(shifted.end.counts.generatedTokens).toBeGreaterThan(238);
    expect(shifted.text.slice(0, 200)).toBe(cut.text.slice(0, 200));
    const error = await run(small, request('word '.repeat(300))).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ContextExceeded);
    expect(error).toMatchObject({ contextLength: 256 });
    expect((await run(small, request(france))).text).toBe('The capital of France is Paris.');
    await small.dispose();
  },
  TIMEOUT,
);

test(
  'a long prompt reports its progress and can be aborted',
  async () => {
    const long = user('All work and no play makes Jack a dull boy. '.repeat(40));
    const answer = await run(model, request(long, { maxTokens: 1 }));
    const progress = answer.events.filter((event) => event.type === 'progress');
    expect(progress.length).toBeGreaterThan(3);
    expect(progress.at(-1)!.processed).toBe(progress[0]!.total);
    const controller = new AbortController();
    const other = user('Another long text. '.repeat(100));
    const running = (async () => {
      for await (const event of model.generate(request(other), controller.signal)) {
        if (event.type === 'progress' && event.processed > 0) controller.abort(new Error('left'));
      }
    })();
    await expect(running).rejects.toThrow('left');
    expect((await run(model, request(france))).text).toBe('The capital of France is Paris.');
  },
  TIMEOUT,
);

test(
  'a killed process fails its own requests and nothing else',
  async () => {
    const victim = await load(512);
    let goneWith: Error | undefined;
    void victim.gone.then((cause) => {
      goneWith = cause;
    });
    const running = (async () => {
      for await (const event of victim.generate(request(story, { maxTokens: 400 }), never)) {
        if (event.type === 'token') process.kill((victim as unknown as { pid: number }).pid, 'SIGKILL');
      }
    })();
    await expect(running).rejects.toThrow(EngineCrashed);
    expect((await victim.gone).message).toContain('SIGKILL');
    expect(goneWith).toBeInstanceOf(EngineCrashed);
    await expect(run(victim, request(france))).rejects.toThrow(EngineCrashed);
    await expect(victim.tokenize('x')).rejects.toThrow(EngineCrashed);
    await victim.dispose();
    expect((await run(model, request(france))).text).toBe('The capital of France is Paris.');
  },
  TIMEOUT,
);
