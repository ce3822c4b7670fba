import { describe, expect, it } from 'vitest';
import type { Host } from '#core/host';
import { nodeSandbox } from '#shim/sandbox/sandbox-threads.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { runRegexJob } from './pattern-thread.ts';
import { evaluateRegexJob, isQuick, type RegexJob } from './run-pattern.ts';

const job = (pattern: string, text: string): RegexJob => ({ do: 'test', pattern, flags: {}, text });
/** Tries every way to part the text: longer than the age of the universe. */
const runaway = job('(a+)+$', `${'a'.repeat(60)}b`);

describe('patterns', () => {
  it.each([
    ['\\d+', true],
    ['[+*]x', true],
    ['(?P<name>cat)', true],
    ['a|b', true],
    ['(a+)+', false],
    ['(a|a)*', false],
    ['a*a*', false],
    ['a?a?a?', false],
    ['(a)\\1', false],
    ['(?:ab){2,}', false],
  ])('%s may run at once: %s', (pattern, quick) => {
    expect(isQuick(job(pattern, 'text'))).toBe(quick);
  });

  it('a long text is never looked at at once', () => {
    expect(isQuick(job('a+', 'a'.repeat(10_000)))).toBe(false);
  });

  it('find, collect and replace', () => {
    const text = 'a1 b22';
    expect(evaluateRegexJob({ do: 'first', pattern: '([a-z])(\\d+)', flags: {}, text, group: 2 })).toBe('1');
    expect(evaluateRegexJob({ do: 'first', pattern: 'x', flags: {}, text, group: 0 })).toBeUndefined();
    expect(evaluateRegexJob({ do: 'all', pattern: '[a-z](\\d+)', flags: {}, text, group: 1 })).toEqual([
      '1',
      '22',
    ]);
    expect(evaluateRegexJob({ do: 'all', pattern: '[a-z]', flags: {}, text, group: 1 })).toEqual([]);
    const replaced = { do: 'replace', pattern: '([A-Z])', flags: { case_insensitive: true }, text } as const;
    expect(evaluateRegexJob({ ...replaced, replacement: '<\\1>', count: 1 })).toBe('<a>1 b22');
  });

  it('run in a thread of their own, where one that never ends is given up', async () => {
    const host = { sandbox: nodeSandbox } as unknown as Host;
    const { signal } = new AbortController();
    const found = {
      do: 'all',
      pattern: '(\\w+)@(\\w+)',
      flags: {},
      text: 'me@home you@work',
      group: 2,
    } as const;
    expect(await runRegexJob(found, { host, signal })).toEqual(['home', 'work']);
    await expect(runRegexJob(job('(a', 'aa)+)+'), { host, signal })).rejects.toThrow(SyntaxError);
    await expect(runRegexJob(runaway, { host, signal }, 100)).rejects.toThrow('took more than 0.1 s');
    // The next one gets a new thread.
    expect(await runRegexJob(found, { host, signal })).toEqual(['home', 'work']);
    const stopped = new AbortController();
    const running = runRegexJob(runaway, { host, signal: stopped.signal });
    setTimeout(() => stopped.abort(new Error('interrupted')), 50);
    await expect(running).rejects.toThrow('interrupted');
  });

  it('answer in the test platform too', async () => {
    const host = createTestHost({});
    const { signal } = new AbortController();
    expect(await runRegexJob(job('(a+)+$', 'aaa'), { host, signal })).toBe(true);
  });
});
