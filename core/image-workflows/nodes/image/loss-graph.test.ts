import { expect, test } from 'vitest';
import { decodeImage } from '#core/image-codecs/decode.ts';
import type { Pixels } from '#core/image-codecs/pixels.ts';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import { lossGraphNodes } from './loss-graph.ts';

const { files, context } = fileContext();
const plot = (loss: unknown) => lossGraphNodes[0]!.run({ loss, filename_prefix: 'loss' }, context);
async function draw(loss: number[] | Float32Array): Promise<{ pixels: Pixels; texts: object }> {
  const { ui } = (await plot({ loss })) as { ui: { images: { filename: string; type: string }[] } };
  expect(ui.images[0]).toMatchObject({ type: 'temp' });
  const bytes = await files.read(`temp/${ui.images[0]!.filename}`);
  const { frames, texts } = await decodeImage(bytes, nodeCodecs);
  return { pixels: frames[0]!, texts };
}
/** The row of the highest blue dot in a column. */
function blueIn({ width, height, data, channels }: Pixels, x: number): number | undefined {
  for (let y = 0; y < height; y++) {
    const at = (y * width + x) * channels;
    if (data[at] === 0 && data[at + 2] === 255) return y;
  }
  return undefined;
}

test('falling losses are a line from the top left to the bottom right', async () => {
  const { pixels, texts } = await draw([4, 2, 1, 0]);
  expect([pixels.width, pixels.height]).toEqual([840, 520]);
  const heights = [70, 314, 572, 825].map((x) => blueIn(pixels, x)!);
  expect(heights).toEqual(heights.toSorted((a, b) => a - b));
  // The second of four values is 2, the mean of 0 and 4.
  expect(blueIn(pixels, 314)).toBeCloseTo((480 + 8) / 2, -1);
  expect(texts).toEqual({ prompt: '{"1": {"class_type": "X"}}', workflow: '{"nodes": []}' });
});

test('axes and numbers are black, and other numbers have other dots', async () => {
  const black = async (losses: number[]) => {
    const { data, width, channels } = (await draw(losses)).pixels;
    return Array.from({ length: 480 * 54 }, (_, at) => {
      const [x, y] = [at % 54, Math.floor(at / 54)];
      return data[(y * width + x) * channels] === 0 ? 1 : 0;
    }).join('');
  };
  const [first, same, other] = [await black([0, 1]), await black([0, 1]), await black([0, 7])];
  expect(first).toContain('1');
  expect(first).toBe(same);
  expect(other).not.toBe(first);
});

test('equal losses are a line in the middle, one loss is a dot, and 200000 losses are drawn', async () => {
  expect(blueIn((await draw([3, 3, 3])).pixels, 400)).toBe(244);
  expect(blueIn((await draw([3])).pixels, 100)).toBeUndefined();
  const { pixels } = await draw(Float32Array.from({ length: 200_000 }, (_, at) => 1 / (at + 1)));
  expect(blueIn(pixels, 800)).toBeGreaterThan(470);
});

test.each([
  [{}, 'a LOSS_MAP is { loss: [numbers] }'],
  [null, 'a LOSS_MAP is'],
  [{ loss: [] }, 'at least one number'],
  [{ loss: [1, Number.NaN] }, 'loss 2 of 2 is NaN'],
  [{ loss: ['a'] }, 'loss 1 of 1 is a'],
])('refuses %j: %s', async (loss, message) => {
  await expect(plot(loss)).rejects.toThrow(message);
});
