/** With real weights: bit-exact answers depend on the request alone, not on other requests or cached tokens. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EngineEvent, GenerateRequest, LanguageModel, LoadOptions, Sampling } from '#core/host';
import { smollm2, smollm2Digest } from '#test/support/model-files/weights.ts';
import { nodeLlamaCppEngine } from './node-llama-cpp.ts';

const TIMEOUT = 240_000;
const never = new AbortController().signal;
const load: LoadOptions = {
  contextLength: 1024,
  batchSize: 512,
  gpuLayers: 0,
  threads: 1,
  parallel: 4,
  bitExact: true,
};
const sampling: Sampling = {
  seed: 7,
  temperature: 0.9,
  topK: 40,
  topP: 0.95,
  minP: 0,
  typicalP: 1,
  repeatLastN: 64,
  repeatPenalty: 1.1,
  presencePenalty: 0,
  frequencyPenalty: 0,
};
const user = (text: string) => `<|im_start|>user\n${text}<|im_end|>\n<|im_start|>assistant\n`;
const ask = (prompt: string, change: Partial<GenerateRequest> = {}): GenerateRequest => ({
  prompt,
  sampling: { ...sampling, temperature: 0 },
  maxTokens: 24,
  keep: 4,
  shift: true,
  topLogprobs: 2,
  ...change,
});
/** More than 512 tokens, from which on other kernels may run. */
const long = 'The road led through the hills, past the mill and the river, to the town by the sea. '.repeat(
  26,
);

interface Said {
  text: string;
  /** The exact logarithms of the probabilities. */
  numbers: number[];
  cached: number;
}
async function say(
  model: LanguageModel,
  request: GenerateRequest,
  onEvent = (_: EngineEvent) => {},
): Promise<Said> {
  const said: Said = { text: '', numbers: [], cached: 0 };
  for await (const event of model.generate(request, never)) {
    onEvent(event);
    if (event.type === 'token') {
      said.text += event.text;
      if (event.logprob)
        said.numbers.push(event.logprob.logprob, ...event.logprob.top.map((top) => top.logprob));
    }
    if (event.type === 'end') said.cached = event.counts.cachedTokens;
  }
  return said;
}

let path: string;
const open = (change: Partial<LoadOptions> = {}) =>
  nodeLlamaCppEngine({ pathOf: () => path }).load(
    [{ role: 'weights', digest: smollm2Digest, size: 0 }],
    { ...load, ...change },
    never,
    () => {},
  );
let model: LanguageModel;
beforeAll(async () => {
  path = await smollm2();
  model = await open();
}, TIMEOUT);
afterAll(() => model?.dispose());

test(
  'an answer is the same to the last bit alone and with three others, greedy and sampled, short and long',
  async () => {
    expect(model.parallel).toBe(4);
    const requests = [
      ask(user('What is the capital of France?')),
      ask(user('Describe the sea.'), { sampling }),
      ask(user(`${long} What comes next?`), { sampling: { ...sampling, seed: 8 } }),
      ask(user('Write a poem about a dragon.'), { sampling: { ...sampling, repeatPenalty: 1 } }),
    ];
    const fresh = await open({ parallel: 1 });
    const alone: Said[] = [];
    for (const request of requests) alone.push(await say(fresh, request));
    await fresh.dispose();
    // The answers differ in length, so that they begin and end at different moments.
    const together = await Promise.all(requests.map((request) => say(model, request)));
    for (const [index, said] of together.entries()) {
      expect(said.text).toBe(alone[index]!.text);
      expect(said.numbers).toEqual(alone[index]!.numbers);
    }
    expect(new Set(together.map(({ text }) => text)).size).toBe(4);
  },
  TIMEOUT,
);

test(
  'a conversation that continues finds its slot again, and gets the same answer as without a cache',
  async () => {
    const first = user(`${long} Where does it go?`);
    const { text } = await say(model, ask(first));
    // Other conversations take the other slots in the meantime.
    await Promise.all(
      ['One', 'Two', 'Three'].map((word) => say(model, ask(user(`${word}?`), { maxTokens: 4 }))),
    );
    const next = ask(`${first}${text}<|im_end|>\n${user('And then?')}`);
    const continued = await say(model, next);
    expect(continued.cached).toBeGreaterThan(560);
    const fresh = await open({ parallel: 1 });
    const cold = await say(fresh, next);
    await fresh.dispose();
    expect(cold.cached).toBe(0);
    expect(continued.text).toBe(cold.text);
    expect(continued.numbers).toEqual(cold.numbers);
  },
  TIMEOUT,
);

test(
  'a reader that does not read, and a long prompt, do not block others',
  async () => {
    const stalled = model.generate(ask(user('Count.'), { maxTokens: 2000 }), never)[Symbol.asyncIterator]();
    await stalled.next();
    const order: string[] = [];
    await Promise.all([
      say(model, ask(user(`Then ${long}`), { maxTokens: 2 })).then(() => order.push('long')),
      say(model, ask(user('Hello'), { maxTokens: 2 })).then(() => order.push('short')),
    ]);
    expect(order).toEqual(['short', 'long']);
    await stalled.return?.();
  },
  TIMEOUT,
);

test(
  'an abort frees the slot within a token',
  async () => {
    const leaver = new AbortController();
    const left = (async () => {
      for await (const event of model.generate(
        ask(user('Count to a thousand.'), { maxTokens: 800 }),
        leaver.signal,
      )) {
        if (event.type === 'token') leaver.abort(new Error('left'));
      }
    })();
    await expect(left).rejects.toThrow('left');
    const started = performance.now();
    // All four slots are free again.
    await Promise.all([1, 2, 3, 4].map((number) => say(model, ask(user(`Say ${number}`), { maxTokens: 1 }))));
    expect(performance.now() - started).toBeLessThan(30_000);
  },
  TIMEOUT,
);

test(
  'without bit-exact answers, a conversation continues after its last token, with about the same probabilities',
  async () => {
    const fast = await open({ bitExact: false });
    const first = user(`${long} Where does it go?`);
    const { text } = await say(fast, ask(first));
    const next = ask(`${first}${text}<|im_end|>\n${user('And then?')}`, { maxTokens: 1 });
    const continued = await say(fast, next);
    await fast.dispose();
    // Not only complete pieces of 128 tokens.
    expect(continued.cached).toBeGreaterThan(560);
    expect(continued.cached % 128).not.toBe(0);
    const fresh = await open({ bitExact: false, parallel: 1 });
    const cold = await say(fresh, next);
    await fresh.dispose();
    // The first number belongs to the chosen token, which may be another one of about equal probability.
    const [, ...top] = continued.numbers;
    expect(top).toHaveLength(2);
    for (const [index, number] of top.entries())
      expect(Math.abs(number - cold.numbers[index + 1]!)).toBeLessThan(0.25);
  },
  TIMEOUT,
);
