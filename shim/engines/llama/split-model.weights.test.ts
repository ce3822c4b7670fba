import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Digest, ModelCorrupt, type ModelFile } from '#core/host';
import { greedyAnswer } from '#test/support/local-models/greedy-answer.ts';
import { greedySampling } from '#test/support/local-models/greedy-sampling.ts';
import { splitGguf } from '#test/support/model-files/split-gguf.ts';
import { smollm2 } from '#test/support/model-files/weights.ts';
import { nodeLlamaCppEngine } from './node-llama-cpp.ts';

const TIMEOUT = 120_000;
const never = new AbortController().signal;
const paths = new Map<Digest, string>();
const files: ModelFile[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-split-'));
  for (const [index, path] of (await splitGguf(await smollm2(), folder, 3)).entries()) {
    const digest: Digest = `sha256:${String(index).padEnd(64, '0')}`;
    paths.set(digest, path);
    files.push({ role: index === 0 ? 'weights' : 'part', digest, size: (await stat(path)).size });
  }
}, TIMEOUT);
afterAll(() => rm(folder, { recursive: true, force: true }));

const load = (chosen: ModelFile[]) =>
  nodeLlamaCppEngine({ pathOf: (digest) => paths.get(digest)!, gpu: false }).load(
    chosen,
    { contextLength: 256, batchSize: 128, gpuLayers: 0, threads: 0 },
    never,
    () => {},
  );

test(
  'a model of three files answers as the one that was split',
  async () => {
    const model = await load(files);
    try {
      let text = '';
      const request = {
        prompt: `<|im_start|>user\n${greedyAnswer.question}<|im_end|>\n<|im_start|>assistant\n`,
        sampling: greedySampling(),
        maxTokens: greedyAnswer.tokens,
        keep: 0,
        shift: false,
      };
      for await (const event of model.generate(request, never))
        if (event.type === 'token') text += event.text;
      expect(text).toBe(greedyAnswer.text);
    } finally {
      await model.dispose();
    }
  },
  TIMEOUT,
);

test(
  'parts in another order, and a truncated one, are damaged models',
  async () => {
    const [first, second, third] = files as [ModelFile, ModelFile, ModelFile];
    await expect(load([first, third, second])).rejects.toThrow(ModelCorrupt);
    await expect(load([first, second, { ...third, size: third.size + 1 }])).rejects.toThrow(/truncated/);
  },
  TIMEOUT,
);
