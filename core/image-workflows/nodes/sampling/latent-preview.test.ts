import { expect, test } from 'vitest';
import { decodeImage } from '#core/image-codecs/decode.ts';
import { nodeCodecs } from '#shim/host/image-codecs.ts';
import { zeros } from '../../values/tensor.ts';
import { latentColors, latentPreview } from './latent-preview.ts';

test('a preview shows the first latent in colors, with a longer side of 512 pixels', async () => {
  const factors = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [0, 0, 0],
  ];
  const format = { channels: 4, scaleFactor: 2, shiftFactor: 0, colors: { factors, bias: [0, 0, 0.5] } };
  const samples = zeros([2, 4, 2, 4]);
  samples.data.fill(0.25, 0, 8);
  samples.data.fill(-9, 8, 16);
  expect([...latentColors(samples, format, format.colors).data.slice(0, 3)]).toEqual([0.75, 0, 0.75]);
  const preview = await latentPreview(samples, format, nodeCodecs);
  const { frames } = await decodeImage(preview!.bytes, nodeCodecs);
  expect([frames[0]!.width, frames[0]!.height]).toEqual([512, 256]);
  expect(
    await latentPreview(samples, { channels: 4, scaleFactor: 1, shiftFactor: 0 }, nodeCodecs),
  ).toBeUndefined();
});
