import { describe, expect, test } from 'vitest';
import { Deferred } from './deferred.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { Mutex } from './mutex.ts';

/** Lets all promises that can settle do so. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

describe('Mutex', () => {
  test('runs one task at a time, in order of arrival', async () => {
    const mutex = new Mutex();
    const events: string[] = [];
    const gates = [new Deferred<void>(), new Deferred<void>(), new Deferred<void>()];
    const runs = gates.map((gate, index) =>
      mutex.run(async () => {
        events.push(`begin ${index}`);
        await gate.promise;
        events.push(`end ${index}`);
        return index;
      }),
    );
    gates[2]!.resolve();
    gates[1]!.resolve();
    await settle();
    expect(events).toEqual(['begin 0']);
    gates[0]!.resolve();
    expect(await Promise.all(runs)).toEqual([0, 1, 2]);
    expect(events).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  test('a failed task lets the next one run', async () => {
    const mutex = new Mutex();
    const failing = mutex.run(async () => {
      throw new Error('boom');
    });
    const next = mutex.run(async () => 'next');
    await expect(failing).rejects.toThrow('boom');
    expect(await next).toBe('next');
  });

  test('a task whose caller stops waiting before it begins never runs', async () => {
    const mutex = new Mutex();
    const gate = new Deferred<void>();
    const first = mutex.run(() => gate.promise);
    const client = new AbortController();
    let ran = false;
    const second = mutex.run(async () => {
      ran = true;
    }, client.signal);
    client.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    const third = mutex.run(async () => 'third');
    await settle();
    gate.resolve();
    await first;
    expect(await third).toBe('third');
    expect(ran).toBe(false);
  });

  test('a task that began holds the mutex until it ends, even when its caller stops waiting', async () => {
    const mutex = new Mutex();
    const gate = new Deferred<void>();
    const client = new AbortController();
    const first = mutex.run(() => gate.promise, client.signal);
    await settle();
    client.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    let began = false;
    const second = mutex.run(async () => {
      began = true;
    });
    await settle();
    expect(began).toBe(false);
    gate.resolve();
    await second;
    expect(began).toBe(true);
  });

  test('an aborted signal takes no place in the queue', async () => {
    const mutex = new Mutex();
    await expect(mutex.run(async () => 1, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(await mutex.run(async () => 2)).toBe(2);
  });
});

describe('KeyedMutex', () => {
  test('keys do not wait for one another', async () => {
    const mutex = new KeyedMutex();
    const releaseA = await mutex.acquire('a');
    const releaseB = await mutex.acquire('b');
    let isFree = false;
    const nextA = mutex.acquire('a').then((release) => {
      isFree = true;
      release();
    });
    releaseB();
    await settle();
    expect(isFree).toBe(false);
    releaseA();
    await nextA;
    expect(isFree).toBe(true);
  });

  test('holders come first come, first served, and a second release changes nothing', async () => {
    const mutex = new KeyedMutex();
    const order: number[] = [];
    const release = await mutex.acquire('k');
    const waiting = [1, 2].map((number) =>
      mutex.acquire('k').then((done) => {
        order.push(number);
        return done;
      }),
    );
    release();
    release();
    const releaseFirst = await waiting[0]!;
    await settle();
    expect(order).toEqual([1]);
    releaseFirst();
    (await waiting[1]!)();
    expect(order).toEqual([1, 2]);
  });

  test('a wait that is aborted leaves the queue and holds nobody up', async () => {
    const mutex = new KeyedMutex();
    const release = await mutex.acquire('k');
    const client = new AbortController();
    const aborted = mutex.acquire('k', client.signal);
    const next = mutex.acquire('k');
    client.abort(new Error('gone'));
    await expect(aborted).rejects.toThrow('gone');
    let isFree = false;
    void next.then(() => {
      isFree = true;
    });
    await settle();
    expect(isFree).toBe(false);
    release();
    (await next)();
    (await mutex.acquire('k'))();
  });

  test('an aborted signal is refused at once', async () => {
    await expect(new KeyedMutex().acquire('k', AbortSignal.abort(new Error('before')))).rejects.toThrow(
      'before',
    );
  });
});
