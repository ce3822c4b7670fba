import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { cleanUp, startPort } from '#test/support/processes/port-testing.ts';
import { accessGate } from './access-gate.ts';
import { parseApiKeys, storedApiKey } from './api-keys.ts';
import { RateLimiter } from './rate-limiter.ts';

afterEach(cleanUp);

const KEY = 'a-key-of-sixteen-characters';
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

describe('keys', () => {
  it.each([
    ['Bearer', { authorization: `Bearer ${KEY}` }, 200],
    ['bearer in lower case', { authorization: `bearer ${KEY}` }, 200],
    ['the password of Basic', { authorization: `Basic ${btoa(`me:${KEY}`)}` }, 200],
    ['x-api-key', { 'x-api-key': KEY }, 200],
    ['no key', {}, 401],
    ['another key', { authorization: 'Bearer a-key-of-sixteen-charactert' }, 401],
    ['half of the key', { authorization: `Bearer ${KEY.slice(0, 16)}` }, 401],
    ['an empty key', { authorization: 'Bearer ' }, 401],
  ])('%s', async (_what, headers, status) => {
    const { port } = await startPort(() => new Response('in'), { gates: [accessGate([KEY], {})] });
    const answer = await fetch(`http://127.0.0.1:${port}/api/tags`, { headers });
    expect(answer.status).toBe(status);
    if (status === 401) expect((await answer.json()).error).toContain('key');
  });

  it('accepts CORS preflights without a key', async () => {
    const { port } = await startPort(() => new Response('in'), { gates: [accessGate([KEY], {})] });
    const answer = await fetch(`http://127.0.0.1:${port}/api/chat`, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST', origin: 'http://localhost:1' },
    });
    expect(answer.status).toBe(200);
  });

  it('are long enough, and stored readable by their user only', () => {
    expect(() => parseApiKeys('short', '--api-key')).toThrow(/at least 16/);
    expect(() => parseApiKeys(' , ', '--api-key')).toThrow(/names no key/);
    expect(parseApiKeys(`${KEY}, ${KEY}2`, 'x')).toEqual([KEY, `${KEY}2`]);
    const home = mkdtempSync(join(tmpdir(), 'tabd-key-'));
    const stored = storedApiKey(home);
    expect(storedApiKey(home)).toEqual({ ...stored, isNew: false });
    expect(statSync(stored.file).mode & 0o077).toBe(0);
    rmSync(home, { recursive: true });
  });
});

describe('limits', () => {
  it('refill evenly over the minute', () => {
    let now = 0;
    const allowance = new RateLimiter({ perMinute: 2 }, () => now);
    expect([allowance.enter(), allowance.enter()]).toEqual(['allowed', 'allowed']);
    expect(allowance.enter()).toEqual({ reason: 'rate', seconds: 30 });
    now = 29_000;
    expect(allowance.enter()).toEqual({ reason: 'rate', seconds: 1 });
    now = 30_000;
    expect(allowance.enter()).toBe('allowed');
  });

  it('count running requests of each key until their responses end', async () => {
    const other = `${KEY}-2`;
    const release: (() => void)[] = [];
    const { port } = await startPort(
      () =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode('half '));
              release.push(() => controller.close());
            },
          }),
        ),
      { gates: [accessGate([KEY, other], { atOnce: 1 })] },
    );
    const url = `http://127.0.0.1:${port}/v1/models`;
    const first = await fetch(url, bearer(KEY));
    const second = await fetch(url, bearer(KEY));
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await second.json()).error.code).toBe('rate_limit_exceeded');
    const beside = await fetch(url, bearer(other));
    expect(beside.status).toBe(200);
    for (const end of release) end();
    await Promise.all([first.text(), beside.text()]);
    await expect
      .poll(async () => {
        const { status, body } = await fetch(url, bearer(KEY));
        release.at(-1)!();
        await body?.cancel();
        return status;
      })
      .toBe(200);
  });
});
