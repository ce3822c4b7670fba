/** `npm run checkpoints -- NAME [...] [--numbers DIR]`: see the README here. */
import { link, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Host } from '#core/host';
import { imageRaster, rasterToPlanes } from '#core/image-workflows/images/rasters.ts';
import { loadCheckpoint } from '#core/image-workflows/models/checkpoints/load-checkpoint.ts';
import type { Checkpoint } from '#core/image-workflows/models/checkpoints/open-checkpoint.ts';
import { loadNetwork, loadVae } from '#core/image-workflows/models/checkpoints/standalone-parts.ts';
import { namedSampler } from '#core/image-workflows/nodes/sampling/run-sampler.ts';
import { basicGuider, cfgGuider } from '#core/image-workflows/sampling/guidance/guiders.ts';
import { seededNoiseSource } from '#core/image-workflows/sampling/initial-noise.ts';
import { sample } from '#core/image-workflows/sampling/sample.ts';
import { samplerSigmas } from '#core/image-workflows/sampling/schedules/sampler-sigmas.ts';
import type { Conditioning, ConditioningOptions } from '#core/image-workflows/values/conditioning.ts';
import { withoutFrames } from '#core/image-workflows/values/single-frames.ts';
import { type FloatTensor, zeros } from '#core/image-workflows/values/tensor.ts';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { isNear, TOLERANCE } from './comparison.ts';
import { Recipe } from './recipe.ts';
import {
  type RecordedInput,
  RecordedNumbers,
  type RecordedSampling,
  type Recording,
} from './recorded-numbers.ts';
import { replayUpscaler } from './replay-upscaler.ts';

const never = new AbortController().signal;

/** Options of prompts that some recordings were made with, and do not state. */
const UNSTATED: Readonly<Record<string, ConditioningOptions>> = {
  pixart_alpha: { sizes: { height: 64, width: 128 } },
};

const firstOnes = (length: number, ones: number): FloatTensor => ({
  shape: [1, length],
  data: Float32Array.from({ length }, (_, at) => (at < ones ? 1 : 0)),
});

/** A checkpoint next to its recorded numbers. */
class Replay {
  failed = 0;
  readonly #conditionings = new Map<string, Conditioning>();

  constructor(
    private readonly numbers: RecordedNumbers,
    private readonly recipe: Recipe,
    private readonly parts: Partial<Checkpoint>,
  ) {}

  async run(): Promise<void> {
    await this.#texts();
    await this.#images();
    await this.#network();
    for (const [name, part] of Object.entries(this.numbers.recording))
      if (name.startsWith('ksampler')) await this.#sampling(name, part as RecordedSampling);
  }

  async #texts(): Promise<void> {
    const { clip } = this.parts;
    if (!clip) return;
    for (const [name, { prompt }] of Object.entries(this.numbers.recording.text ?? {})) {
      const { tensor, pooled } = await clip.encode(prompt, never);
      this.#conditionings.set(name, [{ tensor, options: { ...(pooled && { pooled }) } }]);
      this.#compare(`text.${name}.cond`, tensor.data);
      if (pooled) this.#compare(`text.${name}.pooled_output`, pooled.data);
    }
  }

  async #images(): Promise<void> {
    const { 'vae.image': image, 'vae.latent': latent } = this.numbers.recording.inputs ?? {};
    const { vae } = this.parts;
    if (vae && image) this.#compare('vae.encode', (await vae.encode(this.recipe.input(image), never)).data);
    if (!vae || !latent) return;
    const samples = this.recipe.input(latent);
    this.#compare('vae.decode', (await vae.decode(samples, never)).data);
    const { shape, data } = rasterToPlanes(imageRaster(await vae.decode(samples, never, { isWhole: false })));
    if (shape[0] === 1)
      this.#compare(
        'vae.decode_raw',
        data.map((value) => value * 2 - 1),
      );
  }

  async #network(): Promise<void> {
    const { eval: calls = {}, inputs = {} } = this.numbers.recording;
    const { x, context, y, t5 } = inputs;
    const { model } = this.parts;
    if (!model || !x || !context) return;
    const options: ConditioningOptions = {
      ...this.#unstated(),
      ...(y && { pooled: this.recipe.input(y) }),
      // The masks of HunyuanDiT are recorded in words.
      ...(t5 && {
        attentionMask: firstOnes(77, 9),
        secondText: { tensor: this.recipe.input(t5), attentionMask: firstOnes(256, 12) },
      }),
    };
    const conditioning: Conditioning = [{ tensor: this.recipe.input(context), options }];
    const guider = basicGuider(model, conditioning);
    const noisy = withoutFrames(this.recipe.input(x));
    for (const [name, { sigma }] of Object.entries(calls)) {
      const denoised = await guider.open(noisy.shape, never).denoise(noisy, sigma);
      this.#compare(`eval.${name}.denoised`, denoised.data);
    }
  }

  async #sampling(name: string, recorded: RecordedSampling): Promise<void> {
    const { seed, steps, cfg, sampler, scheduler, denoise } = recorded;
    const { context, negative_context } = this.numbers.recording.inputs ?? {};
    const positive = this.#conditioning(name === 'ksampler_long' ? 'long' : 'weighted', context);
    const negative = this.#conditioning('empty', negative_context);
    const shape = this.numbers.recording.arrays[`${name}.latent`]?.shape;
    const { model } = this.parts;
    if (!model || !positive || !negative || !shape) return;
    const { samples } = await sample({
      guider: cfgGuider(model, positive, negative, cfg),
      noise: seededNoiseSource(BigInt(seed)),
      sampler: namedSampler(sampler),
      sigmas: samplerSigmas(model.sampling, { sampler, scheduler, steps, denoise }),
      latent: { samples: zeros(shape) },
      signal: never,
    });
    this.#compare(`${name}.latent`, samples.data, TOLERANCE.sampled);
  }

  #unstated(): ConditioningOptions {
    return UNSTATED[String(this.numbers.recording.family)] ?? {};
  }

  /** An encoded text, or an input that stands for one. */
  #conditioning(text: string, input: RecordedInput | undefined): Conditioning | undefined {
    return (
      this.#conditionings.get(text) ??
      (input && [{ tensor: this.recipe.input(input), options: this.#unstated() }])
    );
  }

  #compare(name: string, actual: Float32Array, tolerance = TOLERANCE.once): void {
    if (!isNear(this.numbers, name, actual, tolerance)) this.failed++;
  }
}

const FILE = 'recorded.safetensors';

interface PartLoader {
  /** Below `models/`. */
  folder: string;
  open(host: Host, name: string): Promise<Partial<Checkpoint>>;
}

/** The loader of a recorded file, by the beginning of its name and by how it was opened when it was recorded. */
function loaderOf(name: string, { loaded_with }: Recording): PartLoader {
  if (name.startsWith('vae_'))
    return { folder: 'vae', open: async (host, file) => ({ vae: await loadVae(host, file) }) };
  if (loaded_with === 'load_diffusion_model')
    return {
      folder: 'diffusion_models',
      open: async (host, file) => ({ model: await loadNetwork(host, file) }),
    };
  return { folder: 'checkpoints', open: loadCheckpoint };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { numbers: { type: 'string', default: '../shared/checkpoints' } },
});
const folder = resolve(values.numbers);
const recipe = new Recipe(folder, resolve('.cache/checkpoints'));

/** Resolves to the number of arrays outside of the tolerance. */
async function replayModel(name: string): Promise<number> {
  const numbers = new RecordedNumbers(join(folder, 'numbers'), name);
  const { host, home, remove } = await onnxHost();
  try {
    const { folder: kind, open } = loaderOf(name, numbers.recording);
    const isUpscaler = 'upscaled_nchw' in numbers.recording.arrays;
    const place = join(home, 'models', isUpscaler ? 'upscale_models' : kind, FILE);
    await mkdir(dirname(place), { recursive: true });
    await link(recipe.checkpoint(name), place);
    if (isUpscaler) return await replayUpscaler(host, FILE, numbers, recipe);
    const replay = new Replay(numbers, recipe, await open(host, FILE));
    await replay.run();
    return replay.failed;
  } finally {
    await remove();
  }
}

let failed = 0;
for (const name of positionals) {
  const start = performance.now();
  const far = await replayModel(name);
  console.log(
    `${name}: ${far} outside of the tolerance, ${((performance.now() - start) / 1000).toFixed(1)} s`,
  );
  failed += far;
}
process.exit(failed > 0 ? 1 : 0);
