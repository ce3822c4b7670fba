/** The image model that comes with tabd, with the default graph in Node. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeImage } from '#core/image-codecs/decode.ts';
import { onnxHost } from '../support/host/onnx-host.ts';
import { imageServer } from '../support/image-workflows/image-server.ts';
import { defaultGraph, EMOJI_128, writeEmojiModel } from '../support/model-files/emoji-model.ts';

type Color = [red: number, green: number, blue: number];

let server: ReturnType<typeof imageServer>;
let remove: () => Promise<void>;

beforeAll(async () => {
  const onnx = await onnxHost();
  remove = onnx.remove;
  await writeEmojiModel(onnx.host.files, EMOJI_128);
  server = imageServer({ host: onnx.host });
});
afterAll(async () => {
  await server?.close();
  await remove?.();
});

async function draw(text: string, seed = 3): Promise<{ png: Uint8Array; at(x: number, y: number): Color }> {
  const graph = defaultGraph({ checkpoint: EMOJI_128, text, seed, steps: 20 });
  graph['3'].inputs.cfg = 1;
  const { entry } = await server.run(graph);
  const [{ filename }] = entry.outputs['9']!.images as [{ filename: string }];
  const answer = await server.ask('GET', `/view?filename=${filename}`);
  const png = new Uint8Array(await answer.arrayBuffer());
  const { width, channels, data } = (await decodeImage(png, undefined)).frames[0]!;
  return {
    png,
    at: (x, y) => [...data.slice((y * width + x) * channels, (y * width + x) * channels + 3)] as Color,
  };
}

const near = (a: Color, b: Color) => Math.max(...a.map((part, index) => Math.abs(part - b[index]!)));

test.each<[prompt: string, behind: Color, emoji: Color, at: [x: number, y: number]]>([
  ['a fox on a blue background', [70, 120, 220], [240, 130, 60], [64, 40]],
  ['red apple, flat style', [255, 255, 255], [240, 60, 60], [64, 75]],
  ['rocket, noto style', [255, 255, 255], [150, 200, 230], [80, 45]],
])('%s', async (prompt, behind, emoji, [x, y]) => {
  const { at } = await draw(prompt);
  for (const corner of [at(3, 3), at(124, 3), at(3, 124), at(124, 124)]) {
    expect(near(corner, behind), `${corner} is no ${behind}`).toBeLessThan(40);
  }
  expect(near(at(x, y), emoji), `${at(x, y)} is no ${emoji}`).toBeLessThan(70);
});

test('the same seed gives the same image', async () => {
  const prompt = 'dolphin, flat style, pink background';
  const [first, again, other] = [await draw(prompt, 5), await draw(prompt, 5), await draw(prompt, 6)];
  expect(again.png).toEqual(first.png);
  expect(other.png).not.toEqual(first.png);
});
