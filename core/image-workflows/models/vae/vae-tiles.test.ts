import { expect, test } from 'vitest';
import { emptyRaster } from '../../images/rasters.ts';
import { processInTiles, tileCount, tilings } from './vae-tiles.ts';

test('tiles with the same change leave no seams', async () => {
  const image = emptyRaster(2, 40, 56, 3);
  for (let i = 0; i < image.data.length; i++) image.data[i] = Math.sin(i);
  const all = tilings(16, 4);
  let tiles = 0;
  const doubled = await processInTiles(image, all, 1, async (tile) => {
    tiles++;
    expect(tile.height * tile.width).toBeLessThanOrEqual(16 * 16);
    return { ...tile, data: tile.data.map((value) => value * 2) };
  });
  expect(tiles).toBe(tileCount(image, all));
  for (let i = 0; i < image.data.length; i++) expect(doubled.data[i]).toBeCloseTo(image.data[i]! * 2, 5);
  const eighth = await processInTiles(image, tilings(32, 8), 1 / 8, async (tile) =>
    emptyRaster(1, tile.height / 8, tile.width / 8, 1, 3),
  );
  expect([eighth.height, eighth.width, eighth.channels]).toEqual([5, 7, 1]);
  for (const value of eighth.data) expect(value).toBeCloseTo(3, 6);
});
