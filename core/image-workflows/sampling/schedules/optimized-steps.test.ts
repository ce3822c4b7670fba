import { describe, expect, it } from 'vitest';
import { optimalSteps } from './optimized-steps.ts';

describe('optimalSteps', () => {
  it('returns the published levels, which end at 0', () => {
    const levels = optimalSteps('FLUX', 10, 1);
    expect([levels.length, levels[0], levels.at(-1)]).toEqual([11, Math.fround(0.9968), 0]);
  });
  it('interpolates other numbers of steps, and takes the last part for a denoise below 1', () => {
    const levels = optimalSteps('Wan', 10, 1);
    expect(levels).toHaveLength(11);
    expect(levels[5]).toBeCloseTo(0.973, 5);
    expect([...optimalSteps('Wan', 10, 0.3)]).toEqual([...levels.slice(-4)]);
    expect(optimalSteps('Chroma', 10, 0)).toHaveLength(0);
  });
});
