import { unzlibSync } from 'fflate';
import { expect, it } from 'vitest';
import { decodeImage, PngTexts, readChunks } from '#core/image-codecs';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import { linearFromHlg, linearFromSrgb } from '../../images/light.ts';
import { type FloatTensor, tensorOf } from '../../values/tensor.ts';
import { saveImageAdvanced } from './save-advanced.ts';

interface Saved {
  ui: { images: { filename: string }[] };
}
const save = async (images: FloatTensor, format: object) => {
  const { files, context } = fileContext();
  const { ui } = (await saveImageAdvanced.run(
    { images, filename_prefix: 'x', format },
    context,
  )) as unknown as Saved;
  return {
    names: ui.images.map(({ filename }) => filename),
    read: (name: string) => files.read(`output/${name}`),
  };
};
/** 3 x 2 pixels. */
const image = tensorOf(
  [1, 2, 3, 3],
  Float32Array.from({ length: 18 }, (_, at) => at / 17),
);

it('saves PNG with 8 bits as SaveImage does', async () => {
  const { names, read } = await save(image, { key: 'png', bit_depth: '8-bit', input_color_space: 'sRGB' });
  expect(names).toEqual(['x_00001_.png']);
  const { frames } = await decodeImage(await read(names[0]!), undefined);
  expect([...frames[0]!.data.slice(0, 4)]).toEqual([0, 15, 30, 45]);
});

it('saves PNG with 16 bits, the high byte first, with the graph', async () => {
  const { names, read } = await save(image, { key: 'png', bit_depth: '16-bit', input_color_space: 'sRGB' });
  const chunks = [...readChunks(await read(names[0]!))];
  const texts = new PngTexts();
  for (const chunk of chunks) if (chunk.type === 'tEXt') texts.read(chunk);
  expect(texts.byKeyword.prompt).toContain('class_type');
  expect([...chunks[0]!.data.slice(8, 10)]).toEqual([16, 2]);
  const raw = unzlibSync(chunks.find(({ type }) => type === 'IDAT')!.data);
  const values: number[] = [];
  // Rows of 18 bytes after a filter: each is the difference to the row above.
  for (let row = 0; row < 2; row++) {
    expect(raw[row * 19]).toBe(2);
    const byte = (at: number) => (raw[row * 19 + 1 + at]! + (row === 1 ? raw[1 + at]! : 0)) & 255;
    for (let at = 0; at < 18; at += 2) values.push(byte(at) * 256 + byte(at + 1));
  }
  expect(values).toEqual(Array.from({ length: 18 }, (_, at) => Math.round((at / 17) * 65535)));
});

/** The attributes and the channels of an EXR file of one block of lines, read by the format's description. */
function readExr(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = 8;
  const text = () => {
    const from = at;
    while (bytes[at] !== 0) at++;
    return new TextDecoder().decode(bytes.slice(from, at++));
  };
  const attributes = new Map<string, { type: string; data: Uint8Array }>();
  while (bytes[at] !== 0) {
    const [name, type] = [text(), text()];
    const size = view.getInt32(at, true);
    attributes.set(name, { type, data: bytes.slice(at + 4, at + 4 + size) });
    at += 4 + size;
  }
  const block = Number(view.getBigUint64(at + 1, true));
  const size = view.getInt32(block + 4, true);
  const stored = bytes.slice(block + 8, block + 8 + size);
  const length = 2 * 3 * 3 * 4;
  const raw = stored.length === length ? stored : unpredicted(unzlibSync(stored));
  return {
    magic: view.getInt32(0, true),
    attributes,
    line: view.getInt32(block, true),
    floats: new Float32Array(raw.buffer),
  };
}

function unpredicted(packed: Uint8Array): Uint8Array {
  for (let at = 1; at < packed.length; at++) packed[at] = packed[at]! + packed[at - 1]! - 128;
  const half = Math.ceil(packed.length / 2);
  return packed.map((_, at) => packed[at % 2 === 0 ? at / 2 : half + (at - 1) / 2]!);
}

it.each([
  ['sRGB', linearFromSrgb],
  ['HDR', linearFromHlg],
  ['linear', (value: number) => value],
])('saves EXR of %s in linear light', async (input_color_space, toLinear) => {
  const { names, read } = await save(image, { key: 'exr', bit_depth: '32-bit float', input_color_space });
  expect(names).toEqual(['x_00001_.exr']);
  const { magic, attributes, line, floats } = readExr(await read(names[0]!));
  expect([magic, line]).toEqual([20000630, 0]);
  expect([...attributes.keys()]).toContain('prompt');
  expect([...new Int32Array(attributes.get('dataWindow')!.data.buffer)]).toEqual([0, 0, 2, 1]);
  expect(attributes.has('chromaticities')).toBe(input_color_space === 'HDR');
  // Each line has all blue numbers, then the green and the red ones.
  const expected = [0, 1].flatMap((row) =>
    [2, 1, 0].flatMap((channel) => [0, 1, 2].map((x) => toLinear(((row * 3 + x) * 3 + channel) / 17))),
  );
  for (const [at, value] of expected.entries()) expect(floats[at]).toBeCloseTo(value, 6);
});

it('knows the transfer functions at their published points', () => {
  expect(linearFromSrgb(0.5)).toBeCloseTo(0.21404, 5);
  expect(linearFromSrgb(0.04)).toBeCloseTo(0.04 / 12.92, 8);
  // ITU-R BT.2100: 0.5 is a twelfth of the peak, 1 is the peak.
  expect(linearFromHlg(0.5)).toBeCloseTo(1 / 12, 8);
  expect(linearFromHlg(1)).toBeCloseTo(1, 6);
});
