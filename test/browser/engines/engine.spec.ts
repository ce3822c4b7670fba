// wllama as a language engine, in a dedicated worker of real Chromium, with real weights, on the CPU.
import { expect, type Page, test } from '@playwright/test';
import { greedyAnswer } from '../../support/local-models/greedy-answer.ts';
import { CHAT, fixtureOf, QUICK_PATH, siteWithWeights, WEIGHTS_FILE_PATH } from '../support/fixture-page.ts';
import type { Site } from '../support/fixture-site.ts';
import { watchGpu } from '../support/workers.ts';

// A processor that other tests use too is slow.
test.describe.configure({ timeout: 240_000 });

let site: Site;
let page: Page;
let fixture: ReturnType<typeof fixtureOf>;
let weights: { digest: `sha256:${string}`; size: number };
let loaded: Awaited<ReturnType<typeof fixture.call<'load'>>>;
let model: number;

test.beforeAll(async ({ browser }) => {
  site = await siteWithWeights(true);
  page = await browser.newPage();
  await page.goto(site.origin);
  fixture = fixtureOf(page);
  weights = await fixture.call('store', WEIGHTS_FILE_PATH);
  loaded = await fixture.call('load', weights);
  model = loaded.id;
});

test.afterAll(async () => {
  await page?.close();
  await site?.close();
});

test('loads from a stored file, and reports progress, device and memory', () => {
  expect(loaded.device.kind).toBe('cpu');
  expect(loaded.device.name).toBe('CPU, 1 thread');
  expect(loaded.device.note).toMatch(/WebGPU/);
  expect(loaded.context).toBe(1024);
  expect(loaded.progress.length).toBeGreaterThan(5);
  expect(loaded.progress.at(-1)).toBeGreaterThan(0.9);
  expect([...loaded.progress].sort((a, b) => a - b)).toEqual(loaded.progress);
  expect(loaded.memory.total).toBeGreaterThan(weights.size * 0.9);
  expect(loaded.memory.gpu).toBe(0);
});

test('gives the same greedy answer every time, with counts in nanoseconds', async () => {
  const request = { prompt: CHAT(greedyAnswer.question), maxTokens: greedyAnswer.tokens };
  const first = await fixture.generate(model, request);
  expect(first.error).toBeUndefined();
  expect(first.text).toBe(greedyAnswer.text);
  expect(first.reason).toBe('length');
  expect(first.tokens).toBe(16);
  expect(first.ids.every((id) => typeof id === 'number')).toBe(true);
  expect(first.progress.length).toBeGreaterThan(0);
  expect(first.progress[0]![1]).toBe(15);
  expect(first.counts).toMatchObject({ promptTokens: 15, generatedTokens: 16 });
  expect(first.counts!.promptDuration).toBeGreaterThan(1e6);
  expect(first.counts!.generateDuration).toBeGreaterThan(1e6);
  const again = await fixture.generate(model, request);
  expect(again.text).toBe(first.text);
  expect(again.counts).toMatchObject({ promptTokens: 15, cachedTokens: 14, generatedTokens: 16 });
});

test('a conversation that continues reuses its cache, with the same answer', async () => {
  const first = CHAT('Name a colour.');
  const answer = await fixture.generate(model, { prompt: first, maxTokens: 12 });
  const second = `${first}${answer.text}<|im_end|>\n${CHAT('And another?')}`;
  const warm = await fixture.generate(model, { prompt: second, maxTokens: 12 });
  expect(warm.counts!.cachedTokens).toBeGreaterThan(15);
  const fresh = (await fixture.call('load', weights)).id;
  const cold = await fixture.generate(fresh, { prompt: second, maxTokens: 12 });
  expect(cold.counts!.cachedTokens).toBe(0);
  expect(warm.text).toBe(cold.text);
  await fixture.call('dispose', fresh);
});

test('parallel answers equal single ones, even far into the context', async () => {
  // A model with fewer layers: with all of them, a long context would take too long.
  const quick = await fixture.call('store', QUICK_PATH);
  const single = (await fixture.call('load', quick)).id;
  const several = (await fixture.call('load', quick, { parallel: 3 })).id;
  const long = 'The road continued through the hills, past the mill and the river. '.repeat(36);
  const requests = [
    { prompt: CHAT('Name a colour.'), maxTokens: 12, topLogprobs: 1 },
    {
      prompt: CHAT('Write a story.'),
      maxTokens: 12,
      topLogprobs: 1,
      sampling: { temperature: 0.9, seed: 5 },
    },
    { prompt: CHAT(`${long} What comes next?`), maxTokens: 8, topLogprobs: 1 },
  ];
  const alone = [];
  for (const request of requests) alone.push(await fixture.generate(single, request));
  const together = await Promise.all(requests.map((request) => fixture.generate(several, request)));
  for (const [index, answer] of together.entries()) {
    expect(answer.error).toBeUndefined();
    expect(answer.tokens).toBeGreaterThan(3);
    expect(answer.text).toBe(alone[index]!.text);
    expect(answer.logprobs).toEqual(alone[index]!.logprobs);
  }
  expect(together[2]!.counts!.promptTokens).toBeGreaterThan(512);
  expect(new Set(together.map(({ text }) => text)).size).toBe(3);
  for (const id of [single, several]) await fixture.call('dispose', id);
});

test('token ids are accepted as well as text', async () => {
  const prompt = CHAT('Name a colour.');
  const tokens = (await fixture.call('tokenize', model, prompt))!;
  expect(tokens.slice(0, 3)).toEqual([1, 4093, 198]);
  expect(await fixture.call('detokenize', model, tokens)).toBe(prompt);
  const byText = await fixture.generate(model, { prompt, maxTokens: 6 });
  const byIds = await fixture.generate(model, { prompt: tokens, maxTokens: 6 });
  expect(byIds.text).toBe(byText.text);
  expect(byText.counts!.promptTokens).toBe(tokens.length);
});

test('a character of several tokens arrives complete, and every token is counted', async () => {
  const answer = await fixture.generate(model, {
    prompt: CHAT('Repeat exactly: 🙂🙃'),
    maxTokens: 7,
    grammar: 'root ::= "🙂🙃"',
  });
  expect(answer.text).toBe('🙂🙃');
  expect(answer.text).not.toContain('\ufffd');
  expect(answer.counts!.generatedTokens).toBeGreaterThanOrEqual(answer.tokens);
  expect(answer.tokens).toBeGreaterThan(2);
});

test('a grammar is followed', async () => {
  const answer = await fixture.generate(model, {
    prompt: CHAT('Is the sky blue?'),
    grammar: 'root ::= "certainly" | "never"',
  });
  expect(['certainly', 'never']).toContain(answer.text);
  expect(answer.reason).toBe('stop');
});

test('an invalid grammar is an error of its request alone', async () => {
  const bad = await fixture.generate(model, { prompt: CHAT('Hi'), grammar: 'root ::= (' });
  expect(bad.error).toMatch(/^EngineError: .*grammar/);
  const good = await fixture.generate(model, { prompt: CHAT('Hi'), maxTokens: 2 });
  expect(good.error).toBeUndefined();
});

test('log probabilities: none, of the token alone, and with alternatives', async () => {
  const none = await fixture.generate(model, { prompt: CHAT('Why is the sky blue?'), maxTokens: 2 });
  expect(none.logprobs).toEqual([]);
  const alone = await fixture.generate(model, {
    prompt: CHAT('Why is the sky blue?'),
    maxTokens: 2,
    topLogprobs: 0,
  });
  expect(alone.logprobs).toHaveLength(2);
  expect(alone.logprobs[0]).toMatchObject({ logprob: { token: 'The', bytes: [84, 104, 101], top: [] } });
  const three = await fixture.generate(model, {
    prompt: CHAT('Why is the sky blue?'),
    maxTokens: 2,
    topLogprobs: 3,
  });
  for (const event of three.logprobs) {
    if (event.type !== 'token' || !event.logprob) throw new Error('a token with its probability');
    expect(event.logprob.top).toHaveLength(3);
    expect(event.logprob.top[0]!.logprob).toBe(event.logprob.logprob);
    expect(event.logprob.logprob).toBeLessThanOrEqual(0);
  }
});

test('sampling options have an effect: seed, temperature, repetition', async () => {
  const ask = { prompt: CHAT('Write a story.'), maxTokens: 12 };
  const hot = { temperature: 1.5, topK: 0, topP: 1 };
  const seeded = await fixture.generate(model, { ...ask, sampling: { ...hot, seed: 7 } });
  const same = await fixture.generate(model, { ...ask, sampling: { ...hot, seed: 7 } });
  const other = await fixture.generate(model, { ...ask, sampling: { ...hot, seed: 8 } });
  expect(same.text).toBe(seeded.text);
  expect(other.text).not.toBe(seeded.text);
  const narrow = await fixture.generate(model, { ...ask, sampling: { ...hot, topK: 1, seed: 8 } });
  const greedy = await fixture.generate(model, ask);
  expect(narrow.text).toBe(greedy.text);
  const loop = { prompt: 'one two one two one two one two', maxTokens: 8 };
  const repeated = await fixture.generate(model, loop);
  const penalized = await fixture.generate(model, {
    ...loop,
    sampling: { repeatPenalty: 2, presencePenalty: 1.5, frequencyPenalty: 1.5, repeatLastN: -1 },
  });
  expect(penalized.text).not.toBe(repeated.text);
});

test('text that is not valid Unicode is no problem for the engine', async () => {
  const answer = await fixture.generate(model, { prompt: 'half \ud83d a pair \0 and a zero', maxTokens: 2 });
  expect(answer.error).toBeUndefined();
});

test('stops within a token of an abort, and answers the next request', async () => {
  const stopped = await fixture.generate(model, {
    prompt: CHAT('Count to a hundred.'),
    maxTokens: 400,
    abortAfter: 3,
  });
  expect(stopped.error).toBe('Error: stopped by the test');
  expect(stopped.tokens).toBe(3);
  const next = await fixture.generate(model, { prompt: CHAT('Why is the sky blue?'), maxTokens: 4 });
  expect(next.text).toBe('The sky blue is');
});

test('concurrent requests to one model are answered one after the other', async () => {
  const [first, second] = await Promise.all([
    fixture.generate(model, { prompt: CHAT('Why is the sky blue?'), maxTokens: 4 }),
    fixture.generate(model, { prompt: CHAT('Name a colour.'), maxTokens: 4 }),
  ]);
  expect(first.text).toBe('The sky blue is');
  expect(second.error).toBeUndefined();
  expect(second.tokens).toBe(4);
});

test('a prompt longer than the context is refused with both numbers', async () => {
  const long = await fixture.generate(model, { prompt: 'word '.repeat(2_000) });
  expect(long.error).toMatch(/^ContextExceeded: request \(20\d\d tokens\) exceeds .* \(1024 tokens\)/);
});

test('at the end of the context, an answer ends, or continues with a shift', async () => {
  const quick = await fixture.call('store', QUICK_PATH);
  const small = (await fixture.call('load', quick, { contextLength: 256 })).id;
  const ask = {
    prompt: CHAT(`Repeat: ${'word '.repeat(220)}`),
    // A grammar with which an answer does not end on its own.
    grammar: 'root ::= [a-z ]+ "@"',
    maxTokens: 40,
  };
  const ended = await fixture.generate(small, { ...ask, shift: false });
  expect(ended.reason).toBe('length');
  expect(ended.counts!.promptTokens + ended.counts!.generatedTokens).toBe(256);
  const shifted = await fixture.generate(small, { ...ask, shift: true });
  expect(shifted.error).toBeUndefined();
  expect(shifted.counts!.promptTokens + shifted.counts!.generatedTokens).toBeGreaterThan(256);
  await fixture.call('dispose', small);
});

test('a disposed model refuses further requests', async () => {
  const other = (await fixture.call('load', weights, { contextLength: 256 })).id;
  await fixture.call('dispose', other);
  await expect.poll(() => fixture.call('gone', other)).toMatch(/unloaded/);
});

test('loading can be canceled', async () => {
  expect(await fixture.call('abortLoad', weights, 150)).toMatch(/^TimeoutError/);
  const after = await fixture.generate(model, { prompt: CHAT('Why is the sky blue?'), maxTokens: 2 });
  expect(after.text).toBe('The sky');
});

test('damaged files are refused with their fault', async () => {
  const load = async (file: Awaited<ReturnType<typeof fixture.call<'store'>>>, contextLength = 256) =>
    fixture.call('load', file, { contextLength }).then(
      () => 'loaded',
      (error: Error) => error.message,
    );
  const noise = await fixture.call('storeBytes', crypto.getRandomValues(new Uint8Array(60_000)));
  expect(await load(noise)).toContain('invalid magic');
  const cut = await fixture.call('store', WEIGHTS_FILE_PATH, 0, 40_000_000);
  expect(await load(cut)).toContain('not within the file bounds');
  const head = await fixture.call('store', WEIGHTS_FILE_PATH, 0, 200_000);
  expect(await load(head)).toMatch(/failed to (read|load)/);
  expect(await load(weights, 400_000)).toMatch(/memory|allocate/);
  const after = await fixture.generate(model, { prompt: CHAT('Why is the sky blue?'), maxTokens: 2 });
  expect(after.text).toBe('The sky');
});

test('uses threads where the page is isolated, with the same answer', async () => {
  const many = await fixture.call('load', weights, { threads: 0, contextLength: 256 });
  const cores = (await fixture.call('describeHost')).cores;
  expect(many.device.name).toMatch(cores === 1 ? /^CPU, 1 thread$/ : /^CPU, ([2-9]|1\d) threads$/);
  const answer = await fixture.generate(many.id, { prompt: CHAT('Why is the sky blue?'), maxTokens: 4 });
  expect(answer.text).toBe('The sky blue is');
  await fixture.call('dispose', many.id);
});

test('uses one thread without isolation, with the same answer', async ({ browser }) => {
  const plain = await siteWithWeights(false);
  const other = await browser.newPage();
  try {
    await other.goto(plain.origin);
    const second = fixtureOf(other);
    const stored = await second.call('store', WEIGHTS_FILE_PATH);
    const loaded = await second.call('load', stored, { threads: 0 });
    expect(loaded.device.name).toBe('CPU, 1 thread');
    const answer = await second.generate(loaded.id, { prompt: CHAT('Why is the sky blue?'), maxTokens: 4 });
    expect(answer.text).toBe('The sky blue is');
  } finally {
    await other.close();
    await plain.close();
  }
});

test('submits no GPU work without WebGPU, and the device states the reason', async ({ browser }) => {
  const context = await browser.newContext();
  const other = await context.newPage();
  try {
    const gpu = await watchGpu(other, context);
    await other.goto(site.origin);
    const second = fixtureOf(other);
    expect(await second.call('probe')).toMatchObject({ isUsable: false });
    const loaded = await second.call('load', await second.call('store', WEIGHTS_FILE_PATH));
    expect(loaded.device.note).toMatch(/WebGPU/);
    const answer = await second.generate(loaded.id, { prompt: CHAT('Why is the sky blue?'), maxTokens: 4 });
    expect(answer.text).toBe('The sky blue is');
    const submits = await gpu.submits();
    expect(Object.keys(submits)).toContain('wasm worker');
    for (const [globalName, count] of Object.entries(submits)) expect(count, globalName).toBe(0);
  } finally {
    await context.close();
  }
});

test('rejects an adapter that gives wrong answers or fails', async () => {
  // This adapter has no device: a load on it fails, and the CPU is used.
  const loaded = await fixture.call(
    'load',
    weights,
    { contextLength: 256 },
    { isUsable: true, name: 'WebGPU (none)' },
  );
  expect(loaded.device.kind).toBe('cpu');
  expect(loaded.device.note).toContain('WebGPU (none)');
  await fixture.call('dispose', loaded.id);
});

test('a killed engine worker fails its own request at once, and no other one', async () => {
  const victim = (await fixture.call('load', weights, { contextLength: 256 })).id;
  const engines = page.workers().filter((worker) => /engine\.worker/.test(worker.url()));
  const newest = engines.at(-1)!;
  const running = fixture.generate(victim, { prompt: CHAT('Count to a hundred.'), maxTokens: 200 });
  await expect.poll(() => fixture.call('tokensSeen')).toBeGreaterThan(2);
  await newest.evaluate(() => self.close());
  const answer = await running;
  expect(answer.error).toMatch(/^EngineCrashed: the engine worker ended unexpectedly/);
  await expect.poll(() => fixture.call('gone', victim)).toMatch(/^EngineCrashed/);
  const other = await fixture.generate(model, { prompt: CHAT('Why is the sky blue?'), maxTokens: 4 });
  expect(other.text).toBe('The sky blue is');
});

test('a killed llama.cpp worker is noticed as well', async () => {
  const victim = (await fixture.call('load', weights, { contextLength: 256 })).id;
  const running = fixture.generate(victim, { prompt: CHAT('Count to a hundred.'), maxTokens: 200 });
  await expect.poll(() => fixture.call('tokensSeen')).toBeGreaterThan(2);
  const wasm = page.workers().filter((worker) => worker.url().startsWith('blob:'));
  await wasm.at(-1)!.evaluate(() => self.close());
  const answer = await running;
  expect(answer.error).toMatch(/^EngineCrashed/);
});

test('a browser without stack switching in WebAssembly uses the other build, with the same answer', async ({
  browser,
}) => {
  const old = await siteWithWeights(true, true);
  const other = await browser.newPage();
  try {
    await other.goto(old.origin);
    const second = fixtureOf(other);
    const loaded = await second.call('load', await second.call('store', WEIGHTS_FILE_PATH));
    const answer = await second.generate(loaded.id, { prompt: CHAT('Why is the sky blue?'), maxTokens: 4 });
    expect(answer.error).toBeUndefined();
    expect(answer.text).toBe('The sky blue is');
  } finally {
    await other.close();
    await old.close();
  }
});
