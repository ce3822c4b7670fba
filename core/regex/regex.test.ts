import { describe, expect, it } from 'vitest';
import type { Host, SandboxThread } from '#core/host';
import { nodeSandbox } from '#shim/sandbox/sandbox-threads.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { expandReplacement, pythonRegex } from './python-regex.ts';
import {
  answerRegexRequest,
  evaluateRegexJob,
  isQuick,
  type RegexJob,
  type RegexRequest,
} from './regex-job.ts';
import { RegexTimeout, runRegexJob } from './run-in-thread.ts';

const job = (pattern: string, text: string): RegexJob => ({ operation: 'test', pattern, flags: {}, text });
/** Backtracks through every way to split the text: longer than the age of the universe. */
const runaway = job('(a+)+$', `${'a'.repeat(60)}b`);
const { signal } = new AbortController();

describe('isQuick', () => {
  it.each([
    ['\\d+', true],
    ['[+*]x', true],
    ['[]+*]x+', true],
    ['\\++', true],
    ['(?P<name>cat)', true],
    ['(?<!a)b*?', true],
    ['a|b', true],
    ['a{2}', true],
    ['(a+)+', false],
    ['(a|a)*', false],
    ['a*a*', false],
    ['a?a?a?', false],
    ['a{2}b{2}', false],
    ['(a)\\1', false],
    ['(?P<n>a)(?P=n)', false],
    ['(?<n>a)\\k<n>', false],
    ['(?:ab){2,}', false],
    ['(a)?', false],
  ])('%s: %s', (pattern, quick) => expect(isQuick(job(pattern, 'text'))).toBe(quick));

  it('only texts of up to 5000 characters are quick', () => {
    expect(isQuick(job('a+', 'a'.repeat(5000)))).toBe(true);
    expect(isQuick(job('a+', 'a'.repeat(5001)))).toBe(false);
  });
});

describe('pythonRegex', () => {
  it.each([
    ['(?P<n>a)(?P=n)', {}, 'xaay', 'aa'],
    ['\\Aa', { multiline: true }, 'b\na', undefined],
    ['^a', { multiline: true }, 'b\na', 'a'],
    ['a\\Z', { multiline: true }, 'a\nb', undefined],
    ['a.b', { dotall: true }, 'a\nb', 'a\nb'],
    ['a.b', {}, 'a\nb', undefined],
    ['A', { case_insensitive: true }, 'a', 'a'],
    ['.', {}, '😀', '😀'],
    ['a\\-b', {}, 'a-b', 'a-b'],
  ])('%s with %j in %j finds %j', (pattern, flags, text, found) => {
    expect(pythonRegex(pattern, flags).exec(text)?.[0]).toBe(found);
  });

  it('a fault is a SyntaxError', () => expect(() => pythonRegex('(', {})).toThrow(SyntaxError));
});

describe('expandReplacement', () => {
  const groups = (name: string) => `<${name}>`;
  it.each([
    ['\\1-\\g<2>-\\g<name>', '<1>-<2>-<name>'],
    ['\\123', '<12>3'],
    ['a\\n\\t\\r\\\\b', 'a\n\t\r\\b'],
    ['\\q $1', '\\q $1'],
  ])('%j becomes %j', (template, text) => expect(expandReplacement(template, groups)).toBe(text));
});

describe('evaluateRegexJob', () => {
  const text = 'a1 b22';

  it('tests, and finds the group of the first match', () => {
    expect(evaluateRegexJob(job('b\\d', text))).toBe(true);
    expect(evaluateRegexJob(job('c', text))).toBe(false);
    const first = { operation: 'first', flags: {}, text } as const;
    expect(evaluateRegexJob({ ...first, pattern: '([a-z])(\\d+)', group: 2 })).toBe('1');
    expect(evaluateRegexJob({ ...first, pattern: 'x', group: 0 })).toBeUndefined();
  });

  it('collects a group of all matches, if the pattern has it', () => {
    const all = { operation: 'all', flags: {}, text } as const;
    expect(evaluateRegexJob({ ...all, pattern: '[a-z](\\d+)', group: 1 })).toEqual(['1', '22']);
    expect(evaluateRegexJob({ ...all, pattern: '[a-z]', group: 1 })).toEqual([]);
    expect(evaluateRegexJob({ ...all, pattern: 'a(x)?|b', group: 1 })).toEqual(['', '']);
  });

  it.each([
    [1, '<a>1 b22'],
    [2, '<a>1 <b>22'],
    [0, '<a>1 <b>22'],
  ])('replaces up to %i matches', (count, replaced) => {
    const flags = { case_insensitive: true };
    const replace = {
      operation: 'replace',
      pattern: '([A-Z])',
      flags,
      text,
      replacement: '<\\1>',
      count,
    } as const;
    expect(evaluateRegexJob(replace)).toBe(replaced);
  });

  it.each([
    ['(?P<n>a)|b', '\\g<n>!', 'a! !'],
    ['(a)|b', '[\\1\\g<0>]', '[aa] [b]'],
  ])('%s: groups that took no part are empty', (pattern, replacement, replaced) => {
    expect(
      evaluateRegexJob({ operation: 'replace', pattern, flags: {}, text: 'a b', replacement, count: 0 }),
    ).toBe(replaced);
  });

  it.each(['\\2', '\\g<m>'])('a missing group %s is an error', (replacement) => {
    const replace = {
      operation: 'replace',
      pattern: '(?P<n>a)',
      flags: {},
      text,
      replacement,
      count: 0,
    } as const;
    const name = /[2m]/.exec(replacement)![0];
    expect(() => evaluateRegexJob(replace)).toThrow(
      `the replacement names group ${name}, which the pattern does not have`,
    );
  });
});

it('the thread replies with the value, or with the fault', () => {
  const request = (pattern: string): RegexRequest => ({ type: 'pattern', id: 7, job: job(pattern, 'a') });
  expect(answerRegexRequest(request('a'))).toEqual({ type: 'pattern-done', id: 7, value: true });
  expect(answerRegexRequest(request('('))).toMatchObject({
    type: 'pattern-failed',
    id: 7,
    message: expect.stringContaining('Invalid regular expression'),
  });
});

describe('runRegexJob', () => {
  const emails: RegexJob = {
    operation: 'all',
    pattern: '(\\w+)@(\\w+)',
    flags: {},
    text: 'me@home you@work',
    group: 2,
  };

  it('ends a pattern that takes too long, and starts another thread for the next one', async () => {
    const host = { sandbox: nodeSandbox } as unknown as Host;
    expect(await runRegexJob(emails, { host, signal })).toEqual(['home', 'work']);
    await expect(runRegexJob(job('(a', 'aa)+)+'), { host, signal })).rejects.toThrow(SyntaxError);
    const tooLong = runRegexJob(runaway, { host, signal }, 100);
    await expect(tooLong).rejects.toThrow(RegexTimeout);
    await expect(tooLong).rejects.toThrow('the pattern took more than 0.1 s on this text: make it simpler');
    expect(await runRegexJob(emails, { host, signal })).toEqual(['home', 'work']);
    const client = new AbortController();
    const running = runRegexJob(runaway, { host, signal: client.signal });
    setTimeout(() => client.abort(new Error('interrupted')), 50);
    await expect(running).rejects.toThrow('interrupted');
  });

  it('works with the threads of the test host', async () => {
    expect(await runRegexJob(job('(a+)+$', 'aaa'), { host: createTestHost({}), signal })).toBe(true);
  });

  it('quick jobs start no thread', async () => {
    const host = { sandbox: { start: () => expect.unreachable() } } as unknown as Host;
    expect(await runRegexJob(job('a', 'a'), { host, signal })).toBe(true);
  });

  describe('with a thread that never answers', () => {
    function silentHost() {
      const threads: { terminated: boolean; die: (cause: Error) => void }[] = [];
      const start = (): SandboxThread => {
        const thread = { terminated: false, die: (_: Error) => {} };
        threads.push(thread);
        return {
          post: () => {},
          onMessage: () => {},
          gone: new Promise((resolve) => {
            thread.die = resolve;
          }),
          terminate: () => {
            thread.terminated = true;
          },
        };
      };
      return { host: { sandbox: { start } } as unknown as Host, threads };
    }

    it('an aborted job ends the thread, and with it the jobs of others', async () => {
      const { host, threads } = silentHost();
      const client = new AbortController();
      const aborted = runRegexJob(runaway, { host, signal: client.signal });
      const other = runRegexJob(runaway, { host, signal });
      client.abort(new Error('gone'));
      await expect(aborted).rejects.toThrow('gone');
      await expect(other).rejects.toThrow('the thread was ended with another pattern');
      expect(threads.map(({ terminated }) => terminated)).toEqual([true]);
    });

    it('a thread that dies fails its jobs with the cause, and the next job starts another', async () => {
      const { host, threads } = silentHost();
      const running = runRegexJob(runaway, { host, signal });
      threads[0]!.die(new Error('out of memory'));
      await expect(running).rejects.toThrow('out of memory');
      const next = runRegexJob(runaway, { host, signal }, 1);
      await expect(next).rejects.toThrow(RegexTimeout);
      expect(threads).toHaveLength(2);
    });

    it('an aborted signal starts nothing', async () => {
      const { host, threads } = silentHost();
      await expect(runRegexJob(runaway, { host, signal: AbortSignal.abort('before') })).rejects.toBe(
        'before',
      );
      expect(threads).toHaveLength(0);
    });
  });
});
