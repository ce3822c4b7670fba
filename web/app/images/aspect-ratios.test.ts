import { expect, it } from 'vitest';
import { ASPECT_RATIOS, ratioOf, withRatio } from './aspect-ratios.ts';

it.each([
  [512, 512],
  [1024, 1024],
  [128, 128],
  [768, 512],
])('keeps the shape and about the area of %d x %d', (width, height) => {
  for (const { name, ratio } of ASPECT_RATIOS) {
    const size = withRatio({ width, height }, ratio);
    expect(ratioOf(size)).toBe(name);
    expect((size.width % 16) + (size.height % 16)).toBe(0);
    expect((size.width * size.height) / (width * height)).toBeGreaterThan(0.85);
    expect((size.width * size.height) / (width * height)).toBeLessThan(1.15);
  }
});

it('returns to the same sizes', () => {
  const wide = withRatio({ width: 1024, height: 1024 }, 16 / 9);
  expect(wide).toEqual({ width: 1344, height: 768 });
  expect(withRatio(wide, 1)).toEqual({ width: 1024, height: 1024 });
  expect(ratioOf({ width: 100, height: 900 })).toBeUndefined();
});
