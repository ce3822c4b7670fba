/** Public sandbox escapes and attacks on resources, against the sandbox in threads of Node. */
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '#core/webhooks/sandbox/pool.ts';
import { nodeSandbox } from '#shim/sandbox/sandbox-threads.ts';
import { attackCode, CODE_ATTACKS, EXPRESSION_ATTACKS, INNOCENT } from '#test/support/sandbox/attacks.ts';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const patient = openSandbox(nodeSandbox);
/** Ends scripts soon. */
const strict = openSandbox(nodeSandbox, { ...DEFAULT_LIMITS, code: { time: 150 } });
afterAll(() => {
  patient.close();
  strict.close();
});

/** Milliseconds: the limit of a script, and what a thread needs that does not let itself be stopped. */
const LONGEST = 12_000;
/** Bytes that a script may cost outside of its own memory. */
const MOST_MEMORY = 400 * 2 ** 20;

describe('code', () => {
  it.each(CODE_ATTACKS.filter(({ kind }) => kind === 'escape' || kind === 'leaving'))(
    '$name ($origin)',
    async (attack) => {
      const value = (await patient.run(attackCode(attack))) as { found?: unknown[] };
      if (attack.kind === 'escape') expect(value).toMatchObject({ found: [] });
      else expect(value).not.toHaveProperty('error');
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      expect(await patient.run(INNOCENT.code)).toEqual(INNOCENT.value);
    },
  );

  it.each(CODE_ATTACKS.filter(({ kind }) => kind === 'resource' || kind === 'memory'))(
    '$name ($origin)',
    async (attack) => {
      const started = performance.now();
      const memory = process.memoryUsage.rss();
      await strict.run(attackCode(attack));
      expect(performance.now() - started).toBeLessThan(LONGEST);
      expect(process.memoryUsage.rss() - memory).toBeLessThan(MOST_MEMORY);
      expect(await patient.run(INNOCENT.code)).toEqual(INNOCENT.value);
    },
  );
});

describe('expressions', () => {
  it.each(EXPRESSION_ATTACKS)('$name ($origin)', async ({ expression }) => {
    const value = JSON.stringify(await patient.evaluate(expression)) ?? '';
    expect(value).not.toMatch(/object|function|\//);
    expect(await patient.evaluate(INNOCENT.expression)).toBe(INNOCENT.expressionValue);
  });
});
