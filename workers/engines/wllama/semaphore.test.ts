import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

const settle = () => new Promise((resolve) => setTimeout(resolve));

function acquireInOrder(semaphore: Semaphore, names: string[]) {
  const held: string[] = [];
  const releases = new Map<string, () => void>();
  for (const name of names) {
    void semaphore.acquire().then((release) => {
      held.push(name);
      releases.set(name, release);
    });
  }
  return { held, release: (name: string) => releases.get(name)!() };
}

test('as many tasks run as there are places, the others in the order of their arrival', async () => {
  const { held, release } = acquireInOrder(new Semaphore(2), ['a', 'b', 'c', 'd']);
  await settle();
  expect(held).toEqual(['a', 'b']);
  release('b');
  await settle();
  expect(held).toEqual(['a', 'b', 'c']);
  release('a');
  await settle();
  expect(held).toEqual(['a', 'b', 'c', 'd']);
});

test('a second release of the same place has no effect', async () => {
  const { held, release } = acquireInOrder(new Semaphore(1), ['a', 'b', 'c']);
  await settle();
  release('a');
  release('a');
  await settle();
  expect(held).toEqual(['a', 'b']);
});

test('a released place is free for a later task', async () => {
  const semaphore = new Semaphore(1);
  (await semaphore.acquire())();
  const { held } = acquireInOrder(semaphore, ['a', 'b']);
  await settle();
  expect(held).toEqual(['a']);
});
