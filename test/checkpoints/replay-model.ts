/** Computes recorded numbers again, on any host. */
import type { Host } from '#core/host';
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
import type { DiffusionModel } from '#core/image-workflows/values/diffusion-model.ts';
import type { Guider } from '#core/image-workflows/values/guider.ts';
import type { AudioCodec } from '#core/image-workflows/values/image-models.ts';
import type { NetworkPrompt } from '#core/image-workflows/values/network.ts';
import { withoutFrames } from '#core/image-workflows/values/single-frames.ts';
import { type FloatTensor, zeros } from '#core/image-workflows/values/tensor.ts';
import { isNear, TOLERANCE } from './comparison.ts';
import { loaderOf, type RecordedParts } from './part-loaders.ts';
import { withRecordedInputs } from './recorded-inputs.ts';
import type {
  RecordedInput,
  RecordedInputs,
  RecordedNumbers,
  RecordedSampling,
  Recording,
} from './recorded-numbers.ts';
import { replayTokens } from './replay-tokens.ts';
import { replayUpscaler } from './replay-upscaler.ts';
import { replayVision } from './replay-vision.ts';

/** The name of the recorded file in its folder, and that of the checkpoint it belongs to in `checkpoints`. */
const FILE = 'recorded.safetensors';
const BASE = 'base.safetensors';

const never = new AbortController().signal;

/** The prompts of recordings that list none. */
const USUAL_TEXTS = { weighted: { prompt: '(a red:1.3) apple' }, empty: { prompt: '' } };
/** The width of pooled texts, where the recorded vector also has the sizes of images behind them. */
const POOLED_WIDTH: Readonly<Record<string, number>> = { sdxl: 1280 };
/** Options of prompts that some recordings were made with, and do not state. */
const UNSTATED: Readonly<Record<string, ConditioningOptions>> = {
  pixart_alpha: { sizes: { height: 64, width: 128 } },
};

const firstOnes = (length: number, ones: number): FloatTensor => ({
  shape: [1, length],
  data: Float32Array.from({ length }, (_, at) => (at < ones ? 1 : 0)),
});

/** [frames, channels, height, width] as [channels, frames, height, width], in which videos are recorded. */
function framesInside({ shape, data }: FloatTensor): FloatTensor {
  const [frames = 1, channels = 1, height = 1, width = 1] = shape;
  const size = height * width;
  const result = new Float32Array(data.length);
  for (let frame = 0; frame < frames; frame++)
    for (let channel = 0; channel < channels; channel++) {
      const from = (frame * channels + channel) * size;
      result.set(data.subarray(from, from + size), (channel * frames + frame) * size);
    }
  return { shape: [channels, frames, height, width], data: result };
}

/** The model keeps the outputs of its network in `outputs`. */
function withOutputs(model: DiffusionModel, outputs: FloatTensor[]): DiffusionModel {
  const { network } = model;
  const predict: typeof network.predict = async (...args) => {
    const results = await network.predict(...args);
    outputs.push(...results);
    return results;
  };
  return { ...model, network: { ...network, predict } };
}

/** The guider keeps its clean latents in `denoised`. */
const withDenoised = (guider: Guider, denoised: FloatTensor[]): Guider => ({
  ...guider,
  open(...args) {
    const guided = guider.open(...args);
    return {
      ...guided,
      async denoise(x, sigma) {
        const result = await guided.denoise(x, sigma);
        denoised.push(result);
        return result;
      },
    };
  },
});

/** A checkpoint next to its recorded numbers. */
class Replay {
  failed = 0;
  readonly #conditionings = new Map<string, Conditioning>();

  constructor(
    private readonly numbers: RecordedNumbers,
    private readonly inputs: RecordedInputs,
    private readonly parts: RecordedParts,
  ) {}

  async run(): Promise<void> {
    await this.#texts();
    await this.#recordedPrompts();
    await this.#images();
    await this.#network();
    for (const [name, part] of Object.entries(this.numbers.recording))
      if (name.startsWith('ksampler')) await this.#sampling(name, part as RecordedSampling);
  }

  async #texts(): Promise<void> {
    const { clip } = this.parts;
    if (!clip) return;
    const { text, inputs } = this.numbers.recording;
    for (const [name, { prompt }] of Object.entries(text ?? (inputs?.x ? {} : USUAL_TEXTS))) {
      const { tensor, pooled } = await clip.encode(prompt, never);
      this.#conditionings.set(name, [{ tensor, options: { ...(pooled && { pooled }) } }]);
      this.#compare(`text.${name}.cond`, tensor.data);
      if (pooled) this.#compare(`text.${name}.pooled_output`, pooled.data);
    }
    const { weighted } = text ?? {};
    if (!weighted || !('text_clip_skip_2.weighted.cond' in this.numbers.recording.arrays)) return;
    const { tensor } = await clip.withLastLayer(-2).encode(weighted.prompt, never);
    this.#compare('text_clip_skip_2.weighted.cond', tensor.data);
  }

  /** Recordings without text have embeddings for both prompts instead. */
  async #recordedPrompts(): Promise<void> {
    const { text, inputs = {} } = this.numbers.recording;
    const { context, negative_context: negative } = inputs;
    if (text || !context || !negative) return;
    this.#conditionings.set('weighted', await this.#inputPrompt(context));
    this.#conditionings.set('empty', await this.#inputPrompt(negative));
  }

  async #inputPrompt(context: RecordedInput): Promise<Conditioning> {
    const { family, inputs = {} } = this.numbers.recording;
    const { y = inputs.clip_text_pooled, t5 } = inputs;
    const vector = y && (await this.inputs.input(y));
    const width = POOLED_WIDTH[String(family)];
    const pooled = vector && width ? { shape: [1, width], data: vector.data.slice(0, width) } : vector;
    const options: ConditioningOptions = {
      ...UNSTATED[String(family)],
      ...(pooled && { pooled }),
      // The masks of HunyuanDiT are recorded in words.
      ...(t5 && {
        attentionMask: firstOnes(77, 9),
        secondText: { tensor: await this.inputs.input(t5), attentionMask: firstOnes(256, 12) },
      }),
    };
    return [{ tensor: await this.inputs.input(context), options }];
  }

  async #images(): Promise<void> {
    const { 'vae.image': image, 'vae.latent': latent } = this.numbers.recording.inputs ?? {};
    const { vae } = this.parts;
    if (vae?.audio) return this.#audio(vae.audio);
    if (vae && image)
      this.#compare('vae.encode', (await vae.encode(await this.inputs.input(image), never)).data);
    if (!vae || !latent) return;
    const samples = await this.inputs.input(latent);
    this.#compare('vae.decode', (await vae.decode(samples, never)).data);
    const planes = rasterToPlanes(imageRaster(await vae.decode(samples, never, { isWhole: false })));
    const { data } = samples.shape.length === 5 ? framesInside(planes) : planes;
    this.#compare(
      'vae.decode_raw',
      data.map((value) => value * 2 - 1),
    );
  }

  async #audio(codec: AudioCodec): Promise<void> {
    const { 'vae.audio': audio, 'vae.latent': latent } = this.numbers.recording.inputs ?? {};
    if (audio)
      this.#compare('vae.encode_raw', (await codec.encode(await this.inputs.input(audio), never)).data);
    if (latent)
      this.#compare('vae.decode_raw', (await codec.decode(await this.inputs.input(latent), never)).data);
  }

  async #network(): Promise<void> {
    const { eval: calls = {}, inputs = {} } = this.numbers.recording;
    const { x, context = inputs.clip_text } = inputs;
    const model = await withRecordedInputs(this.parts.model, this.numbers.recording, this.inputs);
    if (!model || !x || !context) return;
    const outputs: FloatTensor[] = [];
    const guider = basicGuider(withOutputs(model, outputs), await this.#inputPrompt(context));
    const input = await this.inputs.input(x);
    const noisy = model.latent.isVideo ? input : withoutFrames(input);
    for (const [name, { sigma }] of Object.entries(calls)) {
      if (inputs.c_concat && !inputs.y) {
        await this.#networkWithImages(name, sigma, model, noisy);
        continue;
      }
      const denoised = await guider.open(noisy.shape, never).denoise(noisy, sigma);
      this.#compare(`eval.${name}.network_output`, outputs.at(-1)!.data);
      this.#compare(`eval.${name}.denoised`, denoised.data);
    }
  }

  /** Further channels and tokens of images are recorded as the network takes them. */
  async #networkWithImages(
    name: string,
    sigma: number,
    model: DiffusionModel,
    x: FloatTensor,
  ): Promise<void> {
    const { context, c_concat: concat, clip_fea: vision } = this.numbers.recording.inputs ?? {};
    const prompt: NetworkPrompt = {
      tensor: await this.inputs.input(context!),
      options: {},
      concat: await this.inputs.input(concat!),
      ...(vision && { vision: await this.inputs.input(vision) }),
    };
    const { network, sampling } = model;
    const [output] = await network.predict(x, sampling.timestepOf(sigma), [prompt], never);
    this.#compare(`eval.${name}.network_output`, output!.data);
    this.#compare(`eval.${name}.denoised`, sampling.denoised(sigma, output!, x).data);
  }

  async #sampling(name: string, recorded: RecordedSampling): Promise<void> {
    const { seed, steps, cfg, sampler, scheduler, denoise } = recorded;
    const positive = this.#conditionings.get(name === 'ksampler_long' ? 'long' : 'weighted');
    const negative = this.#conditionings.get('empty');
    const shape = this.numbers.recording.arrays[`${name}.latent`]?.shape;
    const { model } = this.parts;
    if (!model || !positive || !negative || !shape) return;
    const control = await this.#control();
    const [prompt, opposite] = [positive, negative].map((each) => withOptions(each, control));
    const denoised: FloatTensor[] = [];
    const { samples } = await sample({
      guider: withDenoised(cfgGuider(model, prompt!, opposite!, cfg), denoised),
      noise: seededNoiseSource(BigInt(seed)),
      sampler: namedSampler(sampler),
      sigmas: samplerSigmas(model.sampling, { sampler, scheduler, steps, denoise }),
      latent: { samples: zeros(shape) },
      signal: never,
    });
    for (const [step, { data }] of denoised.entries())
      this.#compare(`${name}.step${step}.denoised`, data, TOLERANCE.sampled);
    this.#compare(`${name}.latent`, samples.data, TOLERANCE.sampled);
  }

  /** The control net of all prompts. */
  async #control(): Promise<ConditioningOptions> {
    const { controlnet, inputs } = this.numbers.recording;
    const { controlNet: net } = this.parts;
    if (!net || !controlnet || !inputs?.hint) return {};
    const image = await this.inputs.input(inputs.hint);
    return {
      control: { hint: { net, image, strength: controlnet.strength, startPercent: 0, endPercent: 1 } },
    };
  }

  #compare(name: string, actual: Float32Array, tolerance = TOLERANCE.once): void {
    if (!isNear(this.numbers, name, actual, tolerance)) this.failed++;
  }
}

/** A file of a recording. */
export interface RecordedFile {
  /** Such as `models/vae/recorded.safetensors`. */
  path: string;
  /** The recording whose recipe makes the file. */
  recording: string;
}

/** The files that a replay reads. */
export function recordedFiles(name: string, { recording }: RecordedNumbers): RecordedFile[] {
  const { base } = loaderOf(name, recording);
  return [
    { path: `models/${folderOf(name, recording)}/${FILE}`, recording: name },
    ...(base === undefined ? [] : [{ path: `models/checkpoints/${BASE}`, recording: base }]),
  ];
}

function folderOf(name: string, recording: Recording): string {
  if ('upscaled_nchw' in recording.arrays) return 'upscale_models';
  return 'image_embeds' in recording.arrays ? 'clip_vision' : loaderOf(name, recording).folder;
}

/**
 * Computes the numbers of a recording and prints their differences. Resolves to the number of arrays outside of the
 * tolerance.
 */
export async function replayModel(
  name: string,
  host: Host,
  numbers: RecordedNumbers,
  inputs: RecordedInputs,
): Promise<number> {
  const folder = folderOf(name, numbers.recording);
  if (Array.isArray(numbers.recording.tokens)) return replayTokens(host, `models/${folder}/${FILE}`, numbers);
  if (folder === 'upscale_models') return replayUpscaler(host, FILE, numbers, inputs);
  if (folder === 'clip_vision') return replayVision(host, FILE, numbers, inputs);
  const parts = await loaderOf(name, numbers.recording).open(host, FILE, BASE);
  const replay = new Replay(numbers, inputs, parts);
  await replay.run();
  return replay.failed;
}
