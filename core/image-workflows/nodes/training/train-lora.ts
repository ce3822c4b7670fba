/** The node that trains an adapter. */
import { adapterFromMemory } from '../../models/adapters/lora-in-memory.ts';
import { readAdapter } from '../../models/adapters/read-adapter.ts';
import { decodeFloats, encodeFloats } from '../../models/graphs/stored-floats.ts';
import { LoraTrainer } from '../../models/training/lora-trainer.ts';
import { optimizer } from '../../models/training/optimizers.ts';
import { originalModuleNames } from '../../models/training/trained-names.ts';
import { TorchGenerator } from '../../sampling/random/torch-generator.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { Latent } from '../../values/latent.ts';
import { scaleLatent } from '../../values/latent-scaling.ts';
import type { LoraWeights } from '../../values/lora-weights.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { boolean, choice, float, int, int64, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { loraNames, withLora } from '../model/lora.ts';
import { modelFingerprint } from '../model/model-fingerprint.ts';
import { imageOf, trainingLosses } from './training-loop.ts';

const NO_LORA = '[None]';
const TYPES = { bf16: 'BF16', fp32: 'F32' } as const;

/** The number of adapters that were trained since the start. Makes their names different. */
let trainedCount = 0;

const trainLora = node({
  name: 'TrainLoraNode',
  displayName: 'Train LoRA',
  category: 'training',
  module: 'comfy_extras.nodes_train',
  experimental: true,
  description:
    'Trains a LoRA for the diffusion model on latents and their prompts. It computes in 32 bits, one image after another, and keeps all results of the network in memory.',
  inputsAreLists: true,
  fingerprint: modelFingerprint('loras', ['existing_lora'], [NO_LORA]),
  inputs: {
    model: link('MODEL'),
    latents: link('LATENT'),
    positive: link('CONDITIONING'),
    batch_size: int({ default: 1, min: 1, max: 10000, step: 1 }),
    grad_accumulation_steps: int({ default: 1, min: 1, max: 1024, step: 1 }),
    steps: int({ default: 16, min: 1, max: 100000 }),
    learning_rate: float({ default: 0.0005, min: 0.0000001, max: 1.0, step: 0.000001 }),
    rank: int({ default: 8, min: 1, max: 128 }),
    optimizer: choice(['AdamW', 'Adam', 'SGD', 'RMSprop'], { default: 'AdamW' }),
    loss_function: choice(['MSE', 'L1', 'Huber', 'SmoothL1'], { default: 'MSE' }),
    seed: int64({ default: 0, min: 0, max: 18446744073709551615n }),
    training_dtype: choice(['bf16', 'fp32'], { default: 'bf16' }),
    lora_dtype: choice(['bf16', 'fp32'], { default: 'bf16' }),
    algorithm: choice(['LoRA', 'LoHa', 'LoKr', 'OFT'], { default: 'LoRA' }),
    gradient_checkpointing: boolean({ default: true }),
    existing_lora: choice(async (files) => [...(await loraNames(files)), NO_LORA], { default: NO_LORA }),
  },
  outputs: [
    output('MODEL', 'model_with_lora'),
    output('LORA_MODEL', 'lora'),
    output('LOSS_MAP', 'loss'),
    output('INT', 'steps'),
  ],
  async run(lists, { host, signal, progress }) {
    const values = firstValues(lists);
    const { model, seed, steps, rank, algorithm, existing_lora: before } = values;
    if (algorithm !== 'LoRA')
      throw new Error(`adapters of the kind ${algorithm} cannot be trained here: choose the algorithm LoRA`);
    const data = lists as unknown as { latents: Latent[]; positive: Conditioning[] };
    const latents = data.latents.flatMap((latent) => scaledLatents(latent, model));
    const existing = before === NO_LORA ? undefined : await readAdapter(host, before);
    const first = new TorchGenerator(seed);
    const trainer = new LoraTrainer(model, {
      ...{ host, signal, rank, existing, loss: values.loss_function },
      random: () => first.uniform(),
    });
    const losses = await trainingLosses({
      ...{ model, trainer, latents, seed, steps, batchSize: values.batch_size },
      prompts: promptsFor(data.positive.flat(), latents.length),
      accumulated: values.grad_accumulation_steps,
      step: optimizer(values.optimizer, values.learning_rate),
      onRun: progress,
    }).finally(() => trainer.close());
    const lora = loraOf(trainer, TYPES[values.lora_dtype]);
    const adapted = await withLora(model, adapterFromMemory(lora), 1);
    return [adapted, lora, { loss: losses }, BigInt(steps + stepsOf(before))];
  },
});

/** The first values of inputs that are lists. */
const firstValues = <T extends object>(lists: T): T =>
  Object.fromEntries(Object.entries(lists).map(([name, [first]]) => [name, first])) as T;

/** The images of a latent, as the network sees them. Throws a TypeError when they are of another network. */
function scaledLatents({ samples }: Latent, { latent: format }: DiffusionModel): FloatTensor[] {
  const { shape } = samples;
  if (shape.length !== 4 || shape[1] !== format.channels)
    throw new TypeError(
      `this network is trained on latents of [images, ${format.channels}, height, width], and these are [${shape.join(', ')}]`,
    );
  // An empty latent stays empty, as in sampling.
  const scaled = samples.data.every((value) => value === 0) ? samples : scaleLatent(samples, format);
  return Array.from({ length: shape[0]! }, (_, index) => imageOf(scaled, index));
}

/** A single prompt serves all images. */
function promptsFor(positive: Conditioning, images: number): Conditioning {
  const [first] = positive;
  if (positive.length === 1 && first) return Array.from({ length: images }, () => first);
  if (positive.length === images) return positive;
  throw new Error(
    `there are ${positive.length} prompts for ${images} images: connect one prompt, or one for each image`,
  );
}

/** The steps in the name of a file that SaveLoRANode wrote: `…_100_steps_00001_.safetensors`. */
const stepsOf = (name: string): number => Number(/_(\d+)_steps_/.exec(name)?.[1] ?? 0);

/** The trained adapter, with numbers of the type in which it is saved. */
function loraOf({ parameters, trainable }: LoraTrainer, type: LoraWeights['type']): LoraWeights {
  const modules = [...trainable!.layers, ...trainable!.vectors].map(({ module }) => module);
  const nameOf = originalModuleNames(modules);
  const rounded = (numbers: Float32Array) => decodeFloats(encodeFloats(numbers, type), type);
  const tensors = new Map<string, FloatTensor>();
  for (const [name, { shape, values }] of parameters!.tensors) {
    const [, module = '', end = ''] =
      /^(.*)\.(lora_up\.weight|lora_down\.weight|diff|diff_b)$/.exec(name) ?? [];
    tensors.set(`${nameOf(module)}.${end}`, { shape, data: rounded(values) });
    const ranks = end === 'lora_up.weight' ? parameters!.ranks.get(module) : undefined;
    if (ranks)
      tensors.set(`${nameOf(module)}.alpha`, {
        shape: [],
        data: rounded(Float32Array.of(ranks.scale * ranks.rank)),
      });
  }
  return { name: `the LoRA trained as number ${++trainedCount}`, tensors, type };
}

export const trainingNodes: AnyNode[] = [trainLora];
