/** Calls of the server from code. */
import { afterAll, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

it('settles each call with its own answer, in any order', async () => {
  const answers: Record<string, () => void> = {};
  const fetch = (url: string) =>
    new Promise<Response>((resolve) => {
      answers[new URL(url).pathname] = () => resolve(new Response(url.at(-1)));
      // The calls are answered from the last to the first.
      if (Object.keys(answers).length === 3) for (const answer of Object.values(answers).reverse()) answer();
    });
  const code = `const get = (name) => helpers.httpRequest('http://a.test/' + name);
    return Promise.all(['a', 'b', 'c'].map(get))`;
  expect(await sandbox.run(code, { fetch })).toEqual(['a', 'b', 'c']);
});

it('rejects with the message of the server, as an error that code can catch', async () => {
  const fetch = async () => Promise.reject(new Error('connection refused'));
  const code = `try { await helpers.httpRequest('http://a.test/') }
    catch (error) { return [error instanceof Error, error.message] }`;
  expect(await sandbox.run(code, { fetch })).toEqual([true, 'connection refused']);
  expect(await sandbox.run("await helpers.httpRequest('http://a.test/')", { fetch })).toEqual({
    error: expect.stringContaining('connection refused'),
  });
});

it('carries bytes unchanged, also none', async () => {
  const fetch = async (_url: string, init?: RequestInit) => new Response(init?.body ?? null);
  const code = `const echo = (body) => helpers.httpRequest({
      method: 'POST', url: 'http://a.test/', body, encoding: 'arraybuffer' });
    const bytes = Buffer.from(Array.from({ length: 300 }, (_, n) => n % 256));
    return [(await echo(bytes)).equals(bytes), [...await echo(bytes.subarray(10, 13))],
      (await echo(Buffer.alloc(0))).length]`;
  expect(await sandbox.run(code, { fetch })).toEqual([true, [10, 11, 12], 0]);
});
