/** `npm run checkpoints -- NAME [...] [--numbers DIR]`: see the README here. */
import { existsSync } from 'node:fs';
import { cp, link, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Host, ModelUnsupported } from '#core/host';
import { imageRaster, rasterToPlanes } from '#core/image-workflows/images/rasters.ts';
import { loadCheckpoint } from '#core/image-workflows/models/checkpoints/load-checkpoint.ts';
import { loadEncoders } from '#core/image-workflows/models/checkpoints/load-encoders.ts';
import type { Checkpoint } from '#core/image-workflows/models/checkpoints/open-checkpoint.ts';
import { openBundledEncoders } from '#core/image-workflows/models/checkpoints/open-encoder.ts';
import { loadVae } from '#core/image-workflows/models/checkpoints/standalone-parts.ts';
import type { Combination } from '#core/image-workflows/models/encoders/combine-encodings.ts';
import { readWeightFile } from '#core/image-workflows/models/weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '#core/image-workflows/models/weight-files/weight-file-graphs.ts';
import { namedSampler } from '#core/image-workflows/nodes/sampling/run-sampler.ts';
import { basicGuider, cfgGuider } from '#core/image-workflows/sampling/guidance/guiders.ts';
import { seededNoiseSource } from '#core/image-workflows/sampling/initial-noise.ts';
import { sample } from '#core/image-workflows/sampling/sample.ts';
import { samplerSigmas } from '#core/image-workflows/sampling/schedules/sampler-sigmas.ts';
import type { Conditioning } from '#core/image-workflows/values/conditioning.ts';
import { zeros } from '#core/image-workflows/values/tensor.ts';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { isNear, TOLERANCE } from './comparison.ts';
import { Recipe } from './recipe.ts';
import { RecordedNumbers, type RecordedSampling } from './recorded-numbers.ts';
import { replayTokens } from './replay-tokens.ts';
import { replayUpscaler } from './replay-upscaler.ts';

const never = new AbortController().signal;

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
    const { x, context, y } = inputs;
    const { model } = this.parts;
    if (!model || !x || !context) return;
    const tensor = this.recipe.input(context);
    const conditioning: Conditioning = [{ tensor, options: { ...(y && { pooled: this.recipe.input(y) }) } }];
    const guider = basicGuider(model, conditioning);
    for (const [name, { sigma }] of Object.entries(calls)) {
      const denoised = await guider.open(x.shape, never).denoise(this.recipe.input(x), sigma);
      this.#compare(`eval.${name}.denoised`, denoised.data);
    }
  }

  async #sampling(name: string, recorded: RecordedSampling): Promise<void> {
    const { seed, steps, cfg, sampler, scheduler, denoise } = recorded;
    const positive = this.#conditionings.get(name === 'ksampler_long' ? 'long' : 'weighted');
    const negative = this.#conditionings.get('empty');
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

  #compare(name: string, actual: Float32Array, tolerance = TOLERANCE.once): void {
    if (!isNear(this.numbers, name, actual, tolerance)) this.failed++;
  }
}

const FILE = 'recorded.safetensors';
/** Folders as of `models/tokenizers`. */
const TOKENIZERS = resolve('.cache/tokenizers');

interface PartLoader {
  /** Below `models/`. */
  folder: string;
  open(host: Host, name: string): Promise<Partial<Checkpoint>>;
}

/** The loader of a recorded file, by the beginning of its name. */
function loaderOf(name: string): PartLoader {
  if (name.startsWith('vae_'))
    return { folder: 'vae', open: async (host, file) => ({ vae: await loadVae(host, file) }) };
  const encoder = ENCODER_TYPES[name];
  if (encoder !== undefined)
    return {
      folder: 'text_encoders',
      open: async (host, file) => ({ clip: await loadEncoders(host, [file], encoder) }),
    };
  return { folder: 'checkpoints', open: (host, file) => openRecorded(host, file, name) };
}

/** The types of CLIPLoader for recorded text encoders. */
const ENCODER_TYPES: Readonly<Record<string, string>> = {
  te_gemma2_2b: 'lumina2',
  te_qwen25_7b: 'qwen_image',
};

/** The text encoders of checkpoints by the beginnings of their names, and their combination. */
const BUNDLED: readonly [name: string, uses: readonly string[], combination: Combination][] = [
  ['sd3', ['sd3-l', 'sd3-g', 'sd3-t5xxl'], 'sd3'],
  ['flux', ['flux-l', 'flux-t5xxl'], 'flux'],
  ['stable_audio', ['audio-t5base'], 'concat'],
];

/** The checkpoint, or only its text encoders when its network is unknown. */
async function openRecorded(host: Host, file: string, name: string): Promise<Partial<Checkpoint>> {
  try {
    return await loadCheckpoint(host, file);
  } catch (error) {
    const bundled = BUNDLED.find(([start]) => name.startsWith(start));
    if (!(error instanceof ModelUnsupported) || !bundled) throw error;
    console.log(`its text encoders alone: ${error.message}`);
    const graphs = new WeightFileGraphs(host, await readWeightFile(host.files, `models/checkpoints/${file}`));
    return { clip: await openBundledEncoders(graphs, bundled[1], bundled[2]) };
  }
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
    const { folder: kind, open } = loaderOf(name);
    const isUpscaler = 'upscaled_nchw' in numbers.recording.arrays;
    const place = join(home, 'models', isUpscaler ? 'upscale_models' : kind, FILE);
    await mkdir(dirname(place), { recursive: true });
    await link(recipe.checkpoint(name), place);
    if (existsSync(TOKENIZERS)) await cp(TOKENIZERS, join(home, 'models', 'tokenizers'), { recursive: true });
    if (Array.isArray(numbers.recording.tokens))
      return await replayTokens(host, place.slice(home.length + 1), numbers);
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
