/** A server with tiny models, for tests that save models, load them again and run them. */
import { expect } from 'vitest';
import type { FilePath, Files, FileWriter } from '#core/host';
import { encodeSafetensors } from '#core/image-workflows/nodes/latent/safetensors.ts';
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';
import { onnxHost } from '../host/onnx-host.ts';
import { writeWithWeights } from '../model-files/graph-weights.ts';
import { writeTinyDiffusion } from '../model-files/tiny-diffusion.ts';
import { writeTextEncoder, writeUnet } from '../model-files/tiny-parts.ts';
import { imageServer } from './image-server.ts';
import { latentProbe } from './latent-probe.ts';

/** Called before each write of a large file with the number of the write. May fail, which fails the write. */
type OnWrite = (count: number, path: FilePath) => unknown;

export type SavingServer = Awaited<ReturnType<typeof savingServer>>;

/** Starts the server. Its models are called `one` and `two` (with 1.5 times the weights), and the checkpoint `tiny`. */
export async function savingServer() {
  const onnx = await onnxHost('here');
  const { files } = onnx.host;
  const times = (factor: number) => (_: string, numbers: Float32Array) =>
    numbers.map((value) => (numbers.length === 1 ? value : value * factor));
  const [networks, encoders] = ['models/diffusion_models', 'models/text_encoders'];
  await writeUnet(files, `${networks}/one`);
  await writeTextEncoder(files, `${encoders}/one`);
  await writeWithWeights(files, `${networks}/one`, `${networks}/two`, times(1.5));
  await writeWithWeights(files, `${encoders}/one`, `${encoders}/two`, times(1.5));
  await writeTinyDiffusion(files, 'models/checkpoints/tiny');
  for (const [from, to] of [
    [`${networks}/one`, 'unet'],
    [`${encoders}/one`, 'text_encoder'],
  ] as const)
    for (const { path } of (await files.list(from))!)
      await files.write(path.replace(from, `models/checkpoints/tiny/${to}`), await files.read(path));
  const factor = (shape: number[]) => ({ shape, data: new Float32Array(4).fill(0.2) });
  await files.write(
    'models/loras/keys.safetensors',
    encodeSafetensors(
      {
        'unet.down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.lora_A.weight': factor([1, 4]),
        'unet.down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.lora_B.weight': factor([4, 1]),
      },
      {},
    ),
  );
  const probe = latentProbe();
  const hooks: { onWrite?: OnWrite | undefined } = {};
  const watched = watchWrites(files, () => hooks.onWrite);
  const server = imageServer({ host: { ...onnx.host, files: watched }, customNodes: [probe.node] });
  const runPrompt = async (prompt: object, more?: Record<string, unknown>) =>
    (await server.run(prompt, more)).entry;
  return {
    ...server,
    files,
    hooks,
    runPrompt,
    /** Runs a prompt that must succeed. Returns the samples that its probe received. */
    async run(prompt: object, more?: Record<string, unknown>): Promise<FloatTensor> {
      probe.take();
      const entry = await runPrompt(prompt, more);
      expect(firstMessage(entry, 'execution_error')?.exception_message).toBeUndefined();
      return probe.take()?.samples as FloatTensor;
    },
    /** Runs a prompt that must fail. Returns the error message. */
    failing: async (prompt: object) =>
      String(firstMessage(await runPrompt(prompt), 'execution_error')?.exception_message),
    /** The names that the server lists for a folder of models. */
    listed: async (folder: string) =>
      (await server.ask('GET', `/models/${folder}`)).json() as Promise<string[]>,
    /** All files below a folder, sorted. */
    everyFile: (folder: string) => everyFile(files, folder),
    /** Call it after each test. */
    async reset() {
      hooks.onWrite = undefined;
      await files.delete('output');
    },
    async close() {
      await server.close();
      await onnx.remove();
    },
  };
}

/** The data of the first message of a kind. */
export const firstMessage = (
  { status }: { status: { messages: [string, Record<string, unknown>][] } },
  kind: string,
) => status.messages.find(([name]) => name === kind)?.[1];

/** A node of a prompt. */
export const use = (class_type: string, inputs: Record<string, unknown>) => ({ class_type, inputs });
export const network = (name: string) => use('UNETLoader', { unet_name: name, weight_dtype: 'default' });
export const encoder = (name: string) => use('CLIPLoader', { clip_name: name, type: 'stable_diffusion' });
export const checkpoint = (name: string) => use('CheckpointLoaderSimple', { ckpt_name: name });

/** A prompt that samples with the links `model` and `clip`, which refer to `parts`. */
export const samplingPrompt = (model: unknown, clip: unknown, parts: Record<string, object>) => ({
  ...parts,
  cat: use('CLIPTextEncode', { text: 'a cat', clip }),
  empty: use('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 }),
  sampler: use('KSampler', {
    ...{ model, positive: ['cat', 0], negative: ['cat', 0], latent_image: ['empty', 0] },
    ...{ seed: 5, steps: 2, cfg: 1, sampler_name: 'euler', scheduler: 'normal', denoise: 1 },
  }),
  probe: use('Probe', { latent: ['sampler', 0] }),
});

/** Parts with a merged and adapted model `model`, and a merged text encoder `clip`. */
export const merging = {
  ...{ a: network('one'), b: network('two'), c: encoder('one'), d: encoder('two') },
  merged: use('ModelMergeSimple', { model1: ['a', 0], model2: ['b', 0], ratio: 0.3 }),
  clip: use('CLIPMergeSimple', { clip1: ['c', 0], clip2: ['d', 0], ratio: 0.6 }),
  model: use('LoraLoaderModelOnly', {
    ...{ model: ['merged', 0], lora_name: 'keys.safetensors', strength_model: 0.7 },
  }),
};

/** The largest difference between two arrays. */
export const distance = (a: FloatTensor, b: FloatTensor) =>
  a.data.reduce((most, value, i) => Math.max(most, Math.abs(value - b.data[i]!)), 0);

function watchWrites(files: Files, onWrite: () => OnWrite | undefined): Files {
  let count = 0;
  return Object.create(files, {
    create: {
      value: async (path: FilePath): Promise<FileWriter> => {
        const writer = await files.create(path);
        return {
          ...writer,
          async write(start, bytes) {
            await onWrite()?.(++count, path);
            await writer.write(start, bytes);
          },
        };
      },
    },
  }) as Files;
}

async function everyFile(files: Files, folder: string): Promise<string[]> {
  const found = await Promise.all(
    ((await files.list(folder)) ?? []).map(async ({ path, kind }) =>
      kind === 'file' ? [path] : everyFile(files, path),
    ),
  );
  return found.flat().sort();
}
