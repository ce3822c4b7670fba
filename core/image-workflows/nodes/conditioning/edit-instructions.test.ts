import { expect, test } from 'vitest';
import type { ClipModel } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { full, zeros } from '../../values/tensor.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { editInstructionNodes } from './edit-instructions.ts';

const context = { signal: new AbortController().signal } as NodeContext;

async function run(name: string, values: Record<string, unknown>) {
  const requests: { text: unknown; images: number[][] }[] = [];
  const clip: Pick<ClipModel, 'encode'> = {
    async encode(text, _signal, _silent, images = []) {
      requests.push({ text, images: images.map(({ shape }) => [...shape]) });
      return { tensor: zeros([1, 2, 4]) };
    },
  };
  const encoded: number[][] = [];
  const vae = {
    encode: async ({ shape }: { shape: number[] }) => {
      encoded.push(shape);
      return full([1, 16, 1, 1], encoded.length);
    },
  };
  const node = editInstructionNodes.find((type) => type.name === name)!;
  const [conditioning] = (await node.run({ clip, vae, ...values }, context)) as [Conditioning];
  return { seen: requests[0]!, encoded, references: conditioning[0]!.options.references };
}

const image = full([1, 100, 200, 4], 0.5);

test('one image has about a million pixels for the encoder and the network', async () => {
  const { seen, encoded, references } = await run('TextEncodeQwenImageEdit', { prompt: 'red', image });
  expect(seen.images).toEqual([[1, 724, 1448, 3]]);
  expect(encoded).toEqual(seen.images);
  // The text encoder has the template for prompts with images.
  expect(seen.text).toBe('red');
  expect(references!.latents).toEqual([full([1, 16, 1, 1], 1)]);
});

test('without an image, the prompt is as CLIPTextEncode has it', async () => {
  const { seen, references } = await run('TextEncodeQwenImageEdit', { prompt: 'red', vae: undefined });
  expect([seen, references]).toEqual([{ text: 'red', images: [] }, undefined]);
});

test('several images are numbered, and smaller for the encoder', async () => {
  const values = { prompt: 'swap', image1: image, image3: full([1, 64, 64, 3], 0) };
  const { seen, encoded, references } = await run('TextEncodeQwenImageEditPlus', values);
  expect(seen.images).toEqual([
    [1, 272, 543, 3],
    [1, 384, 384, 3],
  ]);
  expect(encoded).toEqual([
    [1, 728, 1448, 3],
    [1, 1024, 1024, 3],
  ]);
  expect(seen.text).toContain(
    'user\nPicture 1: <|vision_start|><|image_pad|><|vision_end|>Picture 3: <|vision_start|><|image_pad|><|vision_end|>swap<|im_end|>',
  );
  expect(references!.latents).toHaveLength(2);
});
