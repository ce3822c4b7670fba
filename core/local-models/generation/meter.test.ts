import { expect, test } from 'vitest';
import type { EngineEvent } from '#core/host';
import { Meter } from './meter.ts';

/** A meter, and a function that sets the clock in nanoseconds. */
function setUp() {
  let now = 1000;
  const meter = new Meter({
    now: () => 0,
    nanoseconds: () => now,
    after: () => () => {},
  });
  const at = (nanoseconds: number) => {
    now = nanoseconds;
    return meter;
  };
  return { meter, at };
}

const token: EngineEvent = { type: 'token', text: 'a' };
const progress = (total: number): EngineEvent => ({ type: 'progress', processed: 1, total });
const end = (promptTokens: number, generatedTokens: number): EngineEvent => ({
  type: 'end',
  reason: 'stop',
  counts: { promptTokens, cachedTokens: 3, generatedTokens, promptDuration: 100, generateDuration: 200 },
});

test('an engine reports its own counts at the end', () => {
  const { at } = setUp();
  at(1500).loaded();
  at(1600).begin();
  for (const event of [progress(8), token, end(9, 2)]) at(1700).record(event);
  expect(at(3000).statistics()).toEqual({
    totalDuration: 2000,
    loadDuration: 500,
    promptEvalCount: 9,
    promptEvalDuration: 100,
    evalCount: 2,
    evalDuration: 200,
  });
});

test('a generation that the core stops is counted by its events', () => {
  const { at } = setUp();
  at(1500).loaded();
  at(1600).begin();
  at(1700).record(progress(8));
  at(1900).record(token);
  at(2000).record(token);
  at(2600).stopped();
  expect(at(3000).statistics()).toMatchObject({
    promptEvalCount: 8,
    promptEvalDuration: 300,
    evalCount: 2,
    evalDuration: 700,
  });
});

test('a generation that is stopped before its first token spent its time on the prompt', () => {
  const { at } = setUp();
  at(1600).begin();
  at(1700).record(progress(8));
  at(2600).stopped();
  expect(at(3000).statistics()).toMatchObject({ promptEvalDuration: 1000, evalCount: 0, evalDuration: 1 });
});

test('a second generation adds its times and tokens, but not its prompt', () => {
  const { at } = setUp();
  at(1600).begin();
  at(1700).record(progress(8));
  at(1800).record(token);
  at(1900).stopped();
  at(2000).begin();
  at(2100).record(token);
  at(2200).record(end(99, 5));
  expect(at(3000).statistics()).toMatchObject({
    promptEvalCount: 8,
    promptEvalDuration: 200 + 100,
    evalCount: 1 + 5,
    evalDuration: 100 + 200,
  });
});

test('a stopped second generation does not count the tokens of the first', () => {
  const { at } = setUp();
  at(1600).begin();
  at(1700).record(token);
  at(1800).stopped();
  at(1900).begin();
  at(2000).stopped();
  expect(at(3000).statistics()).toMatchObject({ evalCount: 1, evalDuration: 100, promptEvalDuration: 200 });
});

test('durations are whole and at least 1: a 0 would be left out of the answer', () => {
  const { at } = setUp();
  at(1000.4).loaded();
  expect(at(1000.6).statistics()).toMatchObject({
    totalDuration: 1,
    loadDuration: 1,
    promptEvalDuration: 1,
    evalDuration: 1,
  });
});
