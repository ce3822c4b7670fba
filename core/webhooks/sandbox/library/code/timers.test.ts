import { afterAll, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const WAIT = 'await new Promise((done) => setTimeout(done, 40));';

it('runs callbacks by their time, with their arguments', async () => {
  const code = `const seen = []; const add = (...values) => seen.push(...values);
    setTimeout(add, 20, 'late', 1); setTimeout(add, 10, 'early'); setImmediate(add, 'at once'); add('now');
    ${WAIT} return seen`;
  expect(await sandbox.run(code)).toEqual(['now', 'at once', 'early', 'late', 1]);
});

it('keeps the order of timers that a slow step adds', async () => {
  const code = `const seen = []; const add = (value) => seen.push(value);
    setTimeout(add, 20, 'late'); const begin = Date.now(); while (Date.now() - begin < 25);
    setTimeout(add, 10, 'early'); ${WAIT} return seen`;
  expect(await sandbox.run(code)).toEqual(['early', 'late']);
});

it.each(['-5', 'NaN', "'soon'", 'undefined', 'null'])('takes the delay %s as none', async (delay) => {
  expect(await sandbox.run(`return new Promise((done) => setTimeout(done, ${delay}, 'ran'))`)).toBe('ran');
});

it('does not run callbacks that were cleared', async () => {
  const code = `const seen = []; const add = (value) => seen.push(value);
    clearTimeout(setTimeout(add, 1, 'timeout')); clearInterval(setInterval(add, 1, 'interval'));
    clearImmediate(setImmediate(add, 'immediate')); clearTimeout(String(setTimeout(add, 1, 'by text')));
    clearTimeout(); clearTimeout(999); clearInterval('x'); clearTimeout(null);
    ${WAIT} return seen`;
  expect(await sandbox.run(code)).toEqual([]);
});

it('repeats until the callback clears its own interval', async () => {
  const code = `let count = 0;
    await new Promise((done) => {
      const id = setInterval(() => { if (++count === 3) { clearInterval(id); done() } }, 0) });
    ${WAIT} return count`;
  expect(await sandbox.run(code)).toBe(3);
});

it('reports the error of a callback, and that nothing is left to wait for', async () => {
  const failing = "setTimeout(() => { throw new Error('late') }, 1); await new Promise(() => {})";
  expect(await sandbox.run(failing)).toEqual({ error: expect.stringContaining('late') });
  const cleared = 'const id = setTimeout(() => {}, 1000); clearTimeout(id); await new Promise(() => {})';
  expect(await sandbox.run(cleared)).toEqual({ error: 'The code waits for something that cannot come' });
});

it('does not wait for timers after the code has returned', async () => {
  const began = Date.now();
  expect(await sandbox.run("setTimeout(() => {}, 60_000); return 'done'")).toBe('done');
  expect(Date.now() - began).toBeLessThan(30_000);
});
