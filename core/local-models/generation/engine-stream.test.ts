import { expect, test } from 'vitest';
import type { EngineEvent, GenerateRequest, LanguageModel } from '#core/host';
import { TestClock } from '#test/support/host/test-clock.ts';
import { EngineStream } from './engine-stream.ts';
import { Meter } from './meter.ts';

const request = { prompt: 'Hi' } as GenerateRequest;
const token = (text: string) => ({ type: 'token', id: 1, text }) as EngineEvent;

/** A stream over a model that generates `events`. Records the requests, the signals and the end of each generation. */
function setUp(generate: (signal: AbortSignal) => AsyncGenerator<EngineEvent>, images: Uint8Array[] = []) {
  const requests: GenerateRequest[] = [];
  const signals: AbortSignal[] = [];
  const model = {
    generate(received: GenerateRequest, signal: AbortSignal) {
      requests.push(received);
      signals.push(signal);
      return generate(signal);
    },
  } as unknown as LanguageModel;
  const client = new AbortController();
  const meter = new Meter(new TestClock());
  return { requests, signals, client, stream: new EngineStream(model, meter, images, client.signal) };
}

async function* twoTokens() {
  yield token('a');
  yield token('b');
}

test('returns the events of each generation, and counts tokens of all generations', async () => {
  const { stream } = setUp(twoTokens);
  for (const total of [2, 4]) {
    await stream.open(request);
    expect([await stream.next(), await stream.next(), await stream.next()]).toEqual([
      token('a'),
      token('b'),
      undefined,
    ]);
    expect(stream.generated).toBe(total);
    await stream.close();
  }
  expect(await stream.next()).toBeUndefined();
});

test('the disconnect of the client aborts the generation', async () => {
  const { stream, signals, client } = setUp(twoTokens);
  await stream.open(request);
  expect(signals[0]!.aborted).toBe(false);
  client.abort(new Error('left'));
  expect(signals[0]!.reason).toEqual(new Error('left'));
});

test('close ends the generation in the engine, and ignores its errors', async () => {
  let ended = false;
  const { stream, signals } = setUp(async function* () {
    try {
      yield* twoTokens();
    } finally {
      ended = true;
      // biome-ignore lint/correctness/noUnsafeFinally: an engine may fail while it ends
      throw new Error('cleanup failed');
    }
  });
  await stream.open(request);
  await stream.close();
  expect([ended, signals[0]!.aborted]).toEqual([true, true]);
  await expect(stream.close()).resolves.toBeUndefined();
});

test('a generation after a closed one has a fresh signal', async () => {
  const { stream, signals } = setUp(twoTokens);
  await stream.open(request);
  await stream.close();
  await stream.open(request);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test('open rejects with the error of the engine', async () => {
  // biome-ignore lint/correctness/useYield: fails before the first event
  const { stream } = setUp(async function* () {
    throw new Error('broken');
  });
  await expect(stream.open(request)).rejects.toThrow('broken');
});

test('tokens as a prompt are handed on without images', async () => {
  const { stream, requests } = setUp(twoTokens, [Uint8Array.of(1)]);
  const tokens = { ...request, prompt: [1, 2] };
  await stream.open(tokens);
  expect(requests).toEqual([tokens]);
});
