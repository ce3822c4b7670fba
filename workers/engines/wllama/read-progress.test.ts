import { expect, test } from 'vitest';
import { withSharedProgress } from './read-progress.ts';

function readable() {
  const fractions: number[] = [];
  const [file] = withSharedProgress([new Blob(['0123456789'])], (fraction) => fractions.push(fraction));
  return { file: file!, fractions };
}

test('slices count as read, and the fraction never exceeds 1', async () => {
  const { file, fractions } = readable();
  expect(await file.slice(0, 4).text()).toBe('0123');
  expect(await file.slice(4).text()).toBe('456789');
  await file.slice(0, 5).text();
  expect(fractions).toEqual([0.4, 1, 1]);
});

test('a slice beyond the end counts the bytes of the file alone', () => {
  const { file, fractions } = readable();
  file.slice(8, 100);
  expect(fractions).toEqual([0.2]);
});

test('a stream counts its chunks and delivers all bytes', async () => {
  const { file, fractions } = readable();
  expect(await new Response(file.stream()).text()).toBe('0123456789');
  expect(fractions.at(-1)).toBe(1);
});

test('parts of a model share their progress', async () => {
  const fractions: number[] = [];
  const [first, second] = withSharedProgress([new Blob(['0123456']), new Blob(['789'])], (fraction) =>
    fractions.push(fraction),
  );
  await first!.slice().text();
  await second!.slice().text();
  expect(fractions).toEqual([0.7, 1]);
});
