import { expect, it } from 'vitest';
import { countSteps } from '#test/support/steps/count-steps.ts';
import { DECODE_STEP, decodeTextSteps } from './decode-text.ts';

it('decodes in steps, also characters on their border', () => {
  const bytes = new TextEncoder().encode(`\ufeffa${'é'.repeat(DECODE_STEP)}`);
  const { value, count } = countSteps(decodeTextSteps(bytes));
  expect(value === new TextDecoder().decode(bytes)).toBe(true);
  expect(count).toBe(3);
  expect(countSteps(decodeTextSteps(bytes, { ignoreBOM: true })).value.startsWith('\ufeff')).toBe(true);
});
