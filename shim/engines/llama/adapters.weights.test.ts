import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Digest, ModelFile } from '#core/host';
import { greedyAnswer } from '#test/support/local-models/greedy-answer.ts';
import { greedySampling } from '#test/support/local-models/greedy-sampling.ts';
import { tinyLora } from '#test/support/model-files/tiny-lora.ts';
import { smollm2, smollm2Digest } from '#test/support/model-files/weights.ts';
import { nodeLlamaCppEngine } from './node-llama-cpp.ts';

const WIDTH = 576;
const TIMEOUT = 300_000;
const never = new AbortController().signal;
const paths = new Map<Digest, string>();
let folder: string;

beforeAll(async () => {
  paths.set(smollm2Digest, await smollm2());
  folder = await mkdtemp(join(tmpdir(), 'tabd-adapters-'));
}, TIMEOUT);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function adapter(name: string, bytes: Uint8Array): Promise<ModelFile> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const digest: Digest = `sha256:${Buffer.from(name).toString('hex').padEnd(64, '0')}`;
  paths.set(digest, path);
  return { role: 'adapter', digest, size: bytes.length };
}

async function answerWith(...adapters: ModelFile[]): Promise<string> {
  const engine = nodeLlamaCppEngine({ pathOf: (digest) => paths.get(digest)!, gpu: false });
  const { size } = await stat(paths.get(smollm2Digest)!);
  const options = { contextLength: 256, batchSize: 128, gpuLayers: 0, threads: 0 };
  const model = await engine.load(
    [{ role: 'weights', digest: smollm2Digest, size }, ...adapters],
    options,
    never,
    () => {},
  );
  try {
    let text = '';
    const events = model.generate(
      {
        prompt: `<|im_start|>user\n${greedyAnswer.question}<|im_end|>\n<|im_start|>assistant\n`,
        sampling: greedySampling(),
        maxTokens: greedyAnswer.tokens,
        keep: 0,
        shift: false,
      },
      never,
    );
    for await (const event of events) if (event.type === 'token') text += event.text;
    return text;
  } finally {
    await model.dispose();
  }
}

test(
  'an adapter changes the answer, unless its weights are zero',
  async () => {
    const nothing = await adapter('nothing', tinyLora({ width: WIDTH, strength: 0 }));
    const strong = await adapter('strong', tinyLora({ width: WIDTH, strength: 2 }));
    expect(await answerWith(nothing)).toBe(greedyAnswer.text);
    expect(await answerWith(strong)).not.toBe(greedyAnswer.text);
  },
  TIMEOUT,
);

test.each([
  ['another width', tinyLora({ width: 2 * WIDTH, strength: 1 })],
  ['another architecture', tinyLora({ width: WIDTH, strength: 1, architecture: 'gpt2' })],
])(
  'an adapter of %s is refused with its cause',
  async (name, bytes) => {
    const failure = await answerWith(await adapter(name, bytes)).catch((error: Error) => error);
    expect(failure).toMatchObject({
      name: 'ModelUnsupported',
      message: expect.stringMatching(/adapter/i),
    });
  },
  TIMEOUT,
);
