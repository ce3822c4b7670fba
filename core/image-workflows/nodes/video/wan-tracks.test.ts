import { expect, test } from 'vitest';
import { optionsOf as options, runVideoNode as run } from '#test/support/image-workflows/video-nodes.ts';
import { type FloatTensor, full, zeros } from '../../values/tensor.ts';
import { moveAlongTracks, readTracks } from './motion-tracks.ts';

const size = { width: 64, height: 64, temperature: 1000, most: 2 };

/** 3 frames of 8 x 8 cells, with 1 in the cell of row 2 and column 2 of the first frame. */
function video(): FloatTensor {
  const result = zeros([1, 1, 3, 8, 8]);
  result.data[2 * 8 + 2] = 1;
  return result;
}

test('the features of a point move with it', () => {
  // The middle of the cell is at 20 pixels. Its center moves to the corner of the last row and column.
  const track = Array.from({ length: 121 }, (_, at) => (at < 60 ? { x: 20, y: 20 } : { x: 64, y: 64 }));
  const { video: moved, shares } = moveAlongTracks(video(), [track], size);
  const last = (tensor: FloatTensor) => tensor.data[(2 * 8 + 7) * 8 + 7]!;
  expect(last(moved)).toBeGreaterThan(0.9);
  expect(last(shares)).toBeCloseTo(last(moved), 6);
  expect(shares.data.slice(0, 64).every((share) => share === 1)).toBe(true);
  expect(moved.data.slice(0, 64)).toEqual(video().data.slice(0, 64));
});

test('a point that is hidden moves nothing', () => {
  const { video: moved, shares } = moveAlongTracks(full([1, 1, 3, 8, 8], 0.5), [[{ x: 20, y: 20 }]], size);
  expect(moved.data.every((value) => value === 0.5)).toBe(true);
  expect(shares.data.slice(64).every((share) => share === 0)).toBe(true);
});

test('prompts get the moved video and its mask', async () => {
  const tracks = JSON.stringify([Array.from({ length: 121 }, () => ({ x: 16, y: 8 }))]);
  const start_image = full([1, 16, 32, 3], 1);
  const values = { tracks, start_image, temperature: 220, topk: 2 };
  const [positive, , latent] = await run('WanTrackToVideo', { ...values, batch_size: 2 });
  const { latent: image, mask } = options(positive).inpainting!;
  expect(image!.shape).toEqual([1, 16, 3, 2, 4]);
  expect(image!.data[0]).toBeCloseTo(1, 5);
  expect(mask!.shape).toEqual([1, 4, 3, 2, 4]);
  expect([...mask!.data.slice(0, 8)]).toEqual(new Array(8).fill(0));
  expect((latent as { samples: FloatTensor }).samples.shape).toEqual([2, 16, 3, 2, 4]);
  const [plain] = await run('WanTrackToVideo', { ...values, tracks: '[]' });
  expect(options(plain).inpainting!.mask!.shape).toEqual([1, 1, 3, 2, 4]);
  await expect(run('WanTrackToVideo', { ...values, tracks: '{"x":' })).rejects.toThrow(
    'tracks must be a list',
  );
});

test('a single track may stand alone, and wrong points are refused', () => {
  expect(readTracks('[{"x":1,"y":2}]')).toEqual([[{ x: 1, y: 2 }]]);
  for (const text of ['3', '[[{"x":1}]]', '[[1]]']) expect(() => readTracks(text)).toThrow('tracks must be');
});
