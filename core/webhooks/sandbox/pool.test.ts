import { afterEach, describe, expect, it } from 'vitest';
import { FakeThreads } from '#test/support/sandbox/fake-threads.ts';
import { ExpressionError } from '../node-api/node-error.ts';
import { SandboxPool } from './pool.ts';
import type { FromThread } from './protocol.ts';
import { SandboxError } from './thread-client.ts';

const SCRIPT = { source: '1', as: 'value', shared: {}, items: [] } as never;
const CODE = { code: '', mode: 'allItems' } as never;
const services = { call: async () => undefined, console: () => {} };
const { signal } = new AbortController();

let pool: SandboxPool;
afterEach(() => pool.close());

function open(threads: number) {
  const fake = new FakeThreads();
  pool = new SandboxPool(fake, { threads, expression: { time: 100 }, code: { time: 200 } });
  return fake;
}
const done = (value: unknown, id = 1): FromThread => ({ type: 'done', id, value });
const failed = (message: string, id = 1): FromThread => ({
  type: 'failed',
  id,
  failure: { kind: 'memory', message },
});

describe('a pool of sandbox threads', () => {
  it('starts a thread with the first script, or when it warms up', async () => {
    const { started } = open(2);
    expect(started).toHaveLength(0);
    pool.warm();
    expect(started).toHaveLength(1);
    const result = pool.evaluate(SCRIPT, signal);
    expect(started).toHaveLength(1);
    expect(started[0]!.posted).toEqual([{ type: 'evaluate', id: 1, script: SCRIPT, limits: { time: 100 } }]);
    started[0]!.reply(done('[{"json":"2"}]'));
    expect(await result).toEqual([{ json: '2' }]);
  });

  it('uses an idle thread again', async () => {
    const { started } = open(2);
    for (const id of [1, 2]) {
      const result = pool.runCode(CODE, services, signal);
      started[0]!.reply(done({ outcomes: [] }, id));
      expect(await result).toEqual({ outcomes: [] });
    }
    expect(started).toHaveLength(1);
  });

  it('starts another thread while all are busy, and gives it the script after the next', () => {
    const { started } = open(2);
    for (let count = 0; count < 4; count++) pool.runCode(CODE, services, signal).catch(() => {});
    expect(started.map(({ posted }) => posted.length)).toEqual([2, 2]);
  });

  it('starts no more threads than it may', () => {
    const { started } = open(1);
    for (let count = 0; count < 3; count++) pool.runCode(CODE, services, signal).catch(() => {});
    expect(started.map(({ posted }) => posted.length)).toEqual([3]);
  });

  it('replaces a thread that crashed', async () => {
    const { started } = open(1);
    const result = pool.runCode(CODE, services, signal);
    started[0]!.crash();
    await expect(result).rejects.toThrow(
      new SandboxError({ kind: 'crashed', message: 'the sandbox ended: out of threads' }),
    );
    pool.runCode(CODE, services, signal).catch(() => {});
    expect(started).toHaveLength(2);
  });

  it('reports a sandbox that failed as an error of the expression', async () => {
    const { started } = open(1);
    const result = pool.evaluate(SCRIPT, signal);
    started[0]!.reply(failed('it used too much memory'));
    await expect(result).rejects.toThrow(
      new ExpressionError('The expression could not be evaluated: it used too much memory'),
    );
  });

  it('passes failures of code on', async () => {
    const { started } = open(1);
    const result = pool.runCode(CODE, services, signal);
    started[0]!.reply(failed('it used too much memory'));
    await expect(result).rejects.toMatchObject({
      failure: { kind: 'memory', message: 'it used too much memory' },
    });
  });

  it('rejects with the reason of the signal and cancels the script', async () => {
    const { started } = open(1);
    const abort = new AbortController();
    const result = pool.evaluate(SCRIPT, abort.signal);
    abort.abort(new Error('stopped by the user'));
    await expect(result).rejects.toThrow('stopped by the user');
    expect(started[0]!.posted.at(-1)).toEqual({ type: 'cancel', id: 1 });
  });

  it('ends its threads when it closes, and takes no more scripts', async () => {
    const { started } = open(1);
    const result = pool.runCode(CODE, services, signal);
    pool.close();
    await expect(result).rejects.toThrow('the sandbox was ended');
    expect(started[0]!.terminated).toBe(true);
    await expect(pool.runCode(CODE, services, signal)).rejects.toThrow('the server is closing');
    await expect(pool.evaluate(SCRIPT, signal)).rejects.toThrow(
      'The expression could not be evaluated: the server is closing',
    );
  });
});
