/** Images in prompts, compared with Qwen 2.5 VL of transformers (test/diffusers/scripts/weight_files.py). */
import { expect, test } from 'vitest';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import { answeredWeights } from '#test/support/model-files/answered-weights.ts';
import { expectNear } from '#test/support/model-files/exported-numbers.ts';
import { writeWeights } from '#test/support/model-files/weight-files.ts';
import { qwenVisionGraph } from '../families/qwen-vision/qwen-vision-graph.ts';
import { visionPatches } from '../families/qwen-vision/vision-patches.ts';
import { decoderTextGraph } from '../families/text-encoders/decoder-text-graph.ts';
import { feed, toFloatTensor } from '../graphs/session-tensors.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { withoutPrefix } from '../weight-files/weight-table.ts';
import { type ClipParts, clipModel } from './clip-model.ts';

const SLOW = { timeout: 120_000 };
const never = new AbortController().signal;
const MARKER = 30;
const NETWORK = { headWidth: 12, base: 1e6, activation: 'silu', sections: [1, 2, 3] } as const;
const host = await weightsHost('here');

async function open() {
  const { weights, inputs, answers } = await answeredWeights('qwen_vision');
  await writeWeights(host.files, 'models/text_encoders/qwen.safetensors', weights);
  const file = await readWeightFile(host.files, 'models/text_encoders/qwen.safetensors');
  const graphs = new WeightFileGraphs(host, file);
  const visual = withoutPrefix(file.table, 'visual.');
  const vision = graphs.graph('vision', visual, () => qwenVisionGraph(visual, { heads: 2, interval: 2 }));
  const text = graphs.graph('text', file.table, () => decoderTextGraph(file.table, NETWORK));
  const image = { ...inputs.image!, data: inputs.image!.data.map((value) => value + 0.5) };
  return { vision, text, image, answers };
}

test('the tokens of an image', SLOW, async () => {
  const { vision, image, answers } = await open();
  const { feeds, rows, columns } = visionPatches(image);
  expect([rows, columns]).toEqual([5, 6]);
  const session = await vision.session(never);
  const slots = session.inputs.map((slot) => [slot.name, feed(slot, feeds[slot.name]!)]);
  const outputs = await session.run(Object.fromEntries(slots), never);
  expectNear(toFloatTensor(outputs.image_tokens!), answers.tokens!);
});

test('a prompt with an image, whose tokens have rows and columns', SLOW, async () => {
  const { vision, text, image, answers } = await open();
  const tokenizer = {
    tokens: (words: string) => words.trim().split(' ').map(Number),
    start: undefined,
    end: undefined,
    pad: 0,
  };
  const shared = { name: 'qwen25_7b', tokenizer, length: 1, isChunked: false, layer: -1 } as const;
  const parts: ClipParts = {
    encoders: [{ ...shared, graph: text, rawLayers: true, vision: { graph: vision, marker: MARKER } }],
    combination: 'concat',
    embeddings: { vectors: async () => undefined, missing: () => {} },
  };
  const clip = clipModel(parts);
  const prompt = `3 4 31 ${MARKER} 32 5 6`;
  const { tensor } = await clip.encode(prompt, never, [], [image]);
  expectNear(tensor, answers.last!, 1e-4);
  // Without an image, the marker is a word.
  expect((await clip.encode(prompt, never)).tensor.shape).toEqual([1, 7, 24]);
  const blind = clipModel({ ...parts, encoders: [{ ...shared, graph: text, rawLayers: true }] });
  await expect(blind.encode(prompt, never, [], [image])).rejects.toThrow('this text encoder sees no images');
});

test('an image is resized to whole tokens', () => {
  const blank = (height: number, width: number) => ({
    shape: [1, height, width, 3],
    data: new Float32Array(height * width * 3),
  });
  const sides = ({ rows, columns }: ReturnType<typeof visionPatches>) => [rows, columns];
  expect(sides(visionPatches(blank(100, 30)))).toEqual([4, 1]);
  expect(sides(visionPatches(blank(10, 20)))).toEqual([2, 3]);
});
