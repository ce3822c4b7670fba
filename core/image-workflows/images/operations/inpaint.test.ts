import { describe, expect, test } from 'vitest';
import { processInTiles, tileCount, tilings } from '../../models/vae/vae-tiles.ts';
import { emptyRaster, type Raster } from '../rasters.ts';
import { greyOut, growBinaryMask, trimToMultiple } from './inpaint.ts';

const raster = (width: number, values: number[], channels = 1): Raster => ({
  batch: 1,
  height: values.length / channels / width,
  width,
  channels,
  data: Float32Array.from(values),
});

describe('a mask', () => {
  const dot = raster(7, [0, 0, 0, 1, 0, 0, 0]);
  const row = (mask: Raster) => [...mask.data].join('');
  test.each([
    [0, '0001000'],
    [1, '0001000'],
    [2, '0001100'],
    [3, '0011100'],
    [4, '0011110'],
  ])('grows by %i', (size, expected) => expect(row(growBinaryMask(dot, size))).toBe(expected));
  test('grows in both directions, from what is more white than black', () => {
    const grey = raster(3, [0, 0, 0, 0, 0.6, 0, 0, 0, 0.5]);
    expect(row(growBinaryMask(grey, 3))).toBe('111111111');
    expect(row(growBinaryMask(raster(3, [0, 0, 0, 0, 0.5, 0, 0, 0, 0]), 3))).toBe('000000000');
  });
  test('greys the picture, and is cut as it is', () => {
    const pixels = raster(2, [0, 1, 0, 1, 0, 1], 3);
    expect([...greyOut(pixels, raster(2, [0.4, 0.6])).data]).toEqual([0, 1, 0, 0.5, 0.5, 0.5]);
    const large = { ...emptyRaster(1, 17, 10, 3) };
    const parts = trimToMultiple(large, emptyRaster(1, 5, 5, 1, 1), 8);
    expect([parts.pixels.height, parts.pixels.width, parts.mask.height, parts.mask.width]).toEqual([
      16, 8, 16, 8,
    ]);
    expect(() => trimToMultiple(emptyRaster(1, 4, 4, 3), dot, 8)).toThrow('too small');
  });
});

test('tiles that are changed the same way everywhere leave no seams', async () => {
  const image = emptyRaster(2, 40, 56, 3);
  for (let i = 0; i < image.data.length; i++) image.data[i] = Math.sin(i);
  const all = tilings(16, 4);
  let tiles = 0;
  const twice = await processInTiles(image, all, 1, async (tile) => {
    tiles++;
    expect(tile.height * tile.width).toBeLessThanOrEqual(16 * 16);
    return { ...tile, data: tile.data.map((value) => value * 2) };
  });
  expect(tiles).toBe(tileCount(image, all));
  for (let i = 0; i < image.data.length; i++) expect(twice.data[i]).toBeCloseTo(image.data[i]! * 2, 5);
  const eighth = await processInTiles(image, tilings(32, 8), 1 / 8, async (tile) =>
    emptyRaster(1, tile.height / 8, tile.width / 8, 1, 3),
  );
  expect([eighth.height, eighth.width, eighth.channels]).toEqual([5, 7, 1]);
  for (const value of eighth.data) expect(value).toBeCloseTo(3, 6);
});
