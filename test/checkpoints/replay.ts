/** `npm run checkpoints -- NAME [...] [--numbers DIR]`: see the README here. */
import { existsSync } from 'node:fs';
import { cp, link, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { imageRaster, rasterToPlanes } from '#core/image-workflows/images/rasters.ts';
import { namedSampler } from '#core/image-workflows/nodes/sampling/run-sampler.ts';
import { basicGuider, cfgGuider } from '#core/image-workflows/sampling/guidance/guiders.ts';
import { seededNoiseSource } from '#core/image-workflows/sampling/initial-noise.ts';
import { sample } from '#core/image-workflows/sampling/sample.ts';
import { samplerSigmas } from '#core/image-workflows/sampling/schedules/sampler-sigmas.ts';
import {
  type Conditioning,
  type ConditioningOptions,
  withOptions,
} from '#core/image-workflows/values/conditioning.ts';
import { withoutFrames } from '#core/image-workflows/values/single-frames.ts';
import { type FloatTensor, zeros } from '#core/image-workflows/values/tensor.ts';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { isNear, TOLERANCE } from './comparison.ts';
import { loaderOf, type RecordedParts } from './part-loaders.ts';
import { Recipe } from './recipe.ts';
import { type RecordedInput, RecordedNumbers, type RecordedSampling } from './recorded-numbers.ts';
import { replayTokens } from './replay-tokens.ts';
import { replayUpscaler } from './replay-upscaler.ts';
import { replayVision } from './replay-vision.ts';

const never = new AbortController().signal;

/** The prompts of recordings that list none. */
const USUAL_TEXTS = { weighted: { prompt: '(a red:1.3) apple' }, empty: { prompt: '' } };
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
    private readonly parts: RecordedParts,
  ) {}

  async run(): Promise<void> {
    await this.#texts();
    this.#recordedPrompts();
    await this.#images();
    await this.#network();
    for (const [name, part] of Object.entries(this.numbers.recording))
      if (name.startsWith('ksampler')) await this.#sampling(name, part as RecordedSampling);
  }

  async #texts(): Promise<void> {
    const { clip } = this.parts;
    if (!clip) return;
    const { text, inputs } = this.numbers.recording;
    for (const [name, { prompt }] of Object.entries(text ?? (inputs?.context ? {} : USUAL_TEXTS))) {
      const { tensor, pooled } = await clip.encode(prompt, never);
      this.#conditionings.set(name, [{ tensor, options: { ...(pooled && { pooled }) } }]);
      this.#compare(`text.${name}.cond`, tensor.data);
      if (pooled) this.#compare(`text.${name}.pooled_output`, pooled.data);
    }
  }

  /** Recordings without text have embeddings for both prompts instead. */
  #recordedPrompts(): void {
    const { text, inputs = {} } = this.numbers.recording;
    const { context, negative_context: negative } = inputs;
    if (text || !context || !negative) return;
    this.#conditionings.set('weighted', this.#inputPrompt(context));
    this.#conditionings.set('empty', this.#inputPrompt(negative));
  }

  #inputPrompt(context: RecordedInput): Conditioning {
    const { family, inputs = {} } = this.numbers.recording;
    const { y, t5 } = inputs;
    const options: ConditioningOptions = {
      ...UNSTATED[String(family)],
      ...(y && { pooled: this.recipe.input(y) }),
      // The masks of HunyuanDiT are recorded in words.
      ...(t5 && {
        attentionMask: firstOnes(77, 9),
        secondText: { tensor: this.recipe.input(t5), attentionMask: firstOnes(256, 12) },
      }),
    };
    return [{ tensor: this.recipe.input(context), options }];
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
    const { x, context } = inputs;
    const { model } = this.parts;
    if (!model || !x || !context) return;
    if (model.configs?.kind === 'sdxl') {
      console.log('skip eval: the recorded label contains sizes that no prompt has');
      return;
    }
    const guider = basicGuider(model, this.#inputPrompt(context));
    const noisy = withoutFrames(this.recipe.input(x));
    for (const [name, { sigma }] of Object.entries(calls)) {
      const denoised = await guider.open(noisy.shape, never).denoise(noisy, sigma);
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
    const [prompt, opposite] = [positive, negative].map((each) => withOptions(each, this.#control()));
    const { samples } = await sample({
      guider: cfgGuider(model, prompt!, opposite!, cfg),
      noise: seededNoiseSource(BigInt(seed)),
      sampler: namedSampler(sampler),
      sigmas: samplerSigmas(model.sampling, { sampler, scheduler, steps, denoise }),
      latent: { samples: zeros(shape) },
      signal: never,
    });
    this.#compare(`${name}.latent`, samples.data, TOLERANCE.sampled);
  }

  /** The control net of all prompts. */
  #control(): ConditioningOptions {
    const { controlnet, inputs } = this.numbers.recording;
    const { controlNet: net } = this.parts;
    if (!net || !controlnet || !inputs?.hint) return {};
    const image = this.recipe.input(inputs.hint);
    return {
      control: { hint: { net, image, strength: controlnet.strength, startPercent: 0, endPercent: 1 } },
    };
  }

  #compare(name: string, actual: Float32Array, tolerance = TOLERANCE.once): void {
    if (!isNear(this.numbers, name, actual, tolerance)) this.failed++;
  }
}

const FILE = 'recorded.safetensors';

const BASE = 'base.safetensors';
/** Folders as of `models/tokenizers`. */
const TOKENIZERS = resolve('.cache/tokenizers');

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
    const { folder: kind, base, open } = loaderOf(name, numbers.recording);
    const isUpscaler = 'upscaled_nchw' in numbers.recording.arrays;
    const place = async (folderName: string, file: string, recorded: string) => {
      const path = join(home, 'models', folderName, file);
      await mkdir(dirname(path), { recursive: true });
      await link(recipe.checkpoint(recorded), path);
    };
    const isVision = 'image_embeds' in numbers.recording.arrays;
    await place(isUpscaler ? 'upscale_models' : isVision ? 'clip_vision' : kind, FILE, name);
    if (base !== undefined) await place('checkpoints', BASE, base);
    if (existsSync(TOKENIZERS)) await cp(TOKENIZERS, join(home, 'models', 'tokenizers'), { recursive: true });
    if (Array.isArray(numbers.recording.tokens))
      return await replayTokens(host, `models/${kind}/${FILE}`, numbers);
    if (isUpscaler) return await replayUpscaler(host, FILE, numbers, recipe);
    if (isVision) return await replayVision(host, FILE, numbers, recipe);
    const replay = new Replay(numbers, recipe, await open(host, FILE, BASE));
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
