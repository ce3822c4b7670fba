import { expect, test } from 'vitest';
import { answersAgree, isExpectedAnswer } from './known-answer.ts';

const likeliest: [string, number][] = [
  [' four', -1.44],
  [' six', -2.53],
  [' one', -2.6],
  [' two', -3.1],
  ['\n', -3.2],
];

test('the expected answer with finite probabilities proves a device', () => {
  expect(isExpectedAnswer({ text: ' four one', likeliest, isFinite: true })).toBe(true);
  expect(isExpectedAnswer({ text: '', likeliest, isFinite: true })).toBe(false);
  expect(isExpectedAnswer({ text: ' fourteen', likeliest, isFinite: true })).toBe(false);
  expect(isExpectedAnswer({ text: ' four', likeliest, isFinite: false })).toBe(false);
});

test('answers of GPU and CPU agree when their likeliest tokens are about as likely', () => {
  const cpu = { text: 'x', likeliest, isFinite: true };
  const moved = (by: number) =>
    likeliest.map(([token, logprob], i): [string, number] => [token, logprob + (i % 2 ? by : -by)]);
  expect(answersAgree(cpu, cpu)).toBe(true);
  // Rounding changes the order of almost equal tokens, and decides which tokens are just outside of the list.
  expect(answersAgree({ ...cpu, likeliest: moved(0.1).reverse() }, cpu)).toBe(true);
  expect(answersAgree({ ...cpu, likeliest: [...likeliest.slice(0, 3), [' z', -3], [' y', -3]] }, cpu)).toBe(
    true,
  );
  expect(answersAgree({ ...cpu, likeliest: moved(0.8) }, cpu)).toBe(false);
  expect(answersAgree({ ...cpu, likeliest: [['<|endoftext|>', -0.01], ...likeliest.slice(3)] }, cpu)).toBe(
    false,
  );
  expect(answersAgree({ ...cpu, likeliest: [] }, cpu)).toBe(false);
  expect(answersAgree({ ...cpu, isFinite: false }, cpu)).toBe(false);
});

test('vectors agree when their directions are almost the same', () => {
  const answer = (vector: number[]) => ({ text: '', likeliest: [], isFinite: true, vector });
  expect(answersAgree(answer([0.6, 0.8]), answer([0.6, 0.8]))).toBe(true);
  expect(answersAgree(answer([0.61, 0.7924]), answer([0.6, 0.8]))).toBe(true);
  expect(answersAgree(answer([0.8, 0.6]), answer([0.6, 0.8]))).toBe(false);
  expect(answersAgree({ ...answer([0.6, 0.8]), isFinite: false }, answer([0.6, 0.8]))).toBe(false);
  expect(isExpectedAnswer({ ...answer([0.6, 0.8]), text: ' four' })).toBe(false);
});
