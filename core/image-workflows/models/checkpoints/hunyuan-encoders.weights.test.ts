/** Qwen 2.5 VL and ByT5, as Hunyuan Image 2.1 and Hunyuan Video 1.5 use them. */
import { beforeAll, expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { tinySentencePieces } from '#test/support/model-files/tiny-parts.ts';
import { decoderShapes, t5Shapes, weightsFor, writeWeights } from '#test/support/model-files/weight-files.ts';
import { encodePrompts } from '../encoders/encode-prompts.ts';
import { loadEncoders } from './load-encoders.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const host = await weightsHost();
const FILES = ['qwen.safetensors', 'byt5.safetensors'];
const QWEN = decoderShapes({ layers: 4, headWidth: 128, groups: 4, hasBias: true, heads: 4 });
/** The width by which ByT5 is recognized is that of its projections. */
const BYT5 = t5Shapes({ layers: 2, width: 192, heads: 6, tokens: 384 });

beforeAll(async () => {
  const pad = { ...tinySentencePieces.added_tokens[0]!, id: 8, content: '<|endoftext|>' };
  const table = { ...tinySentencePieces, added_tokens: [...tinySentencePieces.added_tokens, pad] };
  await host.files.write(
    'models/tokenizers/qwen2.5/tokenizer.json',
    new TextEncoder().encode(JSON.stringify(table)),
  );
  await writeWeights(host.files, `models/text_encoders/${FILES[0]}`, weightsFor(QWEN));
  await writeWeights(host.files, `models/text_encoders/${FILES[1]}`, weightsFor(BYT5));
});

test.each(['hunyuan_image', 'hunyuan_video_15'])(
  '%s reads quoted parts by their bytes',
  SLOW,
  async (type) => {
    const clip = await loadEncoders(host, FILES, type);
    const plain = await clip.encode('a cat', never);
    expect([plain.tensor.shape[2], plain.glyphs, plain.attentionMask]).toEqual([16, undefined, undefined]);
    const quoted = await clip.encode('a "cat"', never);
    // 12 bytes and the end: Text "cat". and a space.
    expect(quoted.glyphs!.shape).toEqual([1, 13, 192]);
    const [prompt] = await encodePrompts(clip, 'a "cat"', never);
    expect(prompt!.options).toEqual({ glyphs: quoted.glyphs });
    // Only the quoted part counts.
    expect((await clip.encode('cat "cat"', never)).glyphs).toEqual(quoted.glyphs);
  },
);

test('the third layer from the end is used, without the norm', SLOW, async () => {
  const others = weightsFor(QWEN);
  for (const [name, { data }] of Object.entries(others))
    if (/layers\.[23]\.|model\.norm/.test(name)) data.fill(1);
  await writeWeights(host.files, 'models/text_encoders/other.safetensors', others);
  const encode = async (file: string) =>
    (await loadEncoders(host, [file], 'hunyuan_image')).encode('a cat', never);
  expect(await encode('other.safetensors')).toEqual(await encode(FILES[0]!));
});

test('the types have templates of their own, and ByT5 alone reads no prompts', SLOW, async () => {
  const encode = async (type: string, files = FILES, text = 'a cat') =>
    (await loadEncoders(host, files, type)).encode(text, never);
  const [image, video] = [await encode('hunyuan_image'), await encode('hunyuan_video_15')];
  expect(image.tensor.shape).not.toEqual(video.tensor.shape);
  // An empty prompt is a space for videos.
  const [empty, space] = [
    await encode('hunyuan_video_15', FILES, ''),
    await encode('hunyuan_video_15', FILES, ' '),
  ];
  expect(empty).toEqual(space);
  await expect(encode('hunyuan_image', [FILES[1]!], 'a "cat"')).rejects.toThrow(
    'load Qwen 2.5 VL 7B with it',
  );
});
