import { expect, test } from 'vitest';
import { scriptedWhisper } from '#test/support/local-models/whisper/scripted-network.ts';

const { parts } = scriptedWhisper([{ says: [] }], { suppressed: [65], suppressedAtBegin: [32] });
const { rules, vocabulary } = parts;
const { firstTime, end } = vocabulary;
const size = firstTime + 1501;

/** The tokens that may follow, where texts are much more probable than times. */
function allowed(...written: number[]) {
  const logits = new Float32Array(size).fill(-20, firstTime);
  rules.apply(logits, written);
  const tokens = [...logits.keys()].filter((token) => logits[token]! > Number.NEGATIVE_INFINITY);
  return {
    texts: tokens.filter((token) => token < end),
    ends: tokens.includes(end),
    special: tokens.filter((token) => token > end && token < firstTime),
    times: tokens.filter((token) => token >= firstTime).map((token) => token - firstTime),
  };
}

test('a text begins with a time within its first second', () => {
  const { texts, ends, times } = allowed();
  expect([texts, ends, times.at(0), times.at(-1)]).toEqual([[], false, 0, 50]);
});

test('text follows the time at the start of a phrase', () => {
  const { texts, ends, times, special } = allowed(firstTime + 10);
  expect([texts.length, texts.includes(65), ends, times, special]).toEqual([255, false, true, [], []]);
});

test('text or a later time follows text', () => {
  const { texts, ends, times } = allowed(firstTime + 10, 66);
  expect([texts.length, ends, times.at(0)]).toEqual([255, true, 11]);
});

test('the start of the next phrase, or the end, follows the time at the end of a phrase', () => {
  const { texts, ends, times } = allowed(firstTime + 10, 66, firstTime + 20);
  expect([texts, ends, times.at(0)]).toEqual([[], true, 20]);
});

test('a phrase has a length', () => {
  const { times } = allowed(firstTime, 66, firstTime + 20, firstTime + 20, 66);
  expect(times.at(0)).toBe(21);
});

test('times that are more probable together than any text exclude it', () => {
  const logits = new Float32Array(size);
  rules.apply(logits, [firstTime, 66]);
  expect(logits.subarray(0, firstTime).every((value) => value === Number.NEGATIVE_INFINITY)).toBe(true);
  expect(logits[firstTime + 1]).toBe(0);
});
