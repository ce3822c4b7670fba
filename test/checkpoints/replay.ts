/** `npm run checkpoints -- NAME [...] [--numbers DIR]`: see the README here. */
import { link, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Checkpoint } from '#core/image-workflows/models/checkpoints/open-checkpoint.ts';
import { openCheckpointFile } from '#core/image-workflows/models/checkpoints/open-checkpoint-file.ts';
import { namedSampler } from '#core/image-workflows/nodes/sampling/run-sampler.ts';
import { basicGuider, cfgGuider } from '#core/image-workflows/sampling/guidance/guiders.ts';
import { seededNoiseSource } from '#core/image-workflows/sampling/initial-noise.ts';
import { sample } from '#core/image-workflows/sampling/sample.ts';
import { samplerSigmas } from '#core/image-workflows/sampling/schedules/sampler-sigmas.ts';
import type { Conditioning } from '#core/image-workflows/values/conditioning.ts';
import { zeros } from '#core/image-workflows/values/tensor.ts';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { Recipe } from './recipe.ts';
import { RecordedNumbers, type RecordedSampling } from './recorded-numbers.ts';

/** Largest differences, as shares of the recorded spread. Sampling adds up the differences of its steps. */
const TOLERANCE = { once: 1e-4, sampled: 1e-3 };
const never = new AbortController().signal;

/** A checkpoint next to its recorded numbers. */
class Replay {
  failed = 0;
  readonly #conditionings = new Map<string, Conditioning>();

  constructor(
    private readonly numbers: RecordedNumbers,
    private readonly recipe: Recipe,
    private readonly checkpoint: Checkpoint,
  ) {}

  async run(): Promise<void> {
    await this.#texts();
    await this.#images();
    await this.#network();
    for (const [name, part] of Object.entries(this.numbers.recording))
      if (name.startsWith('ksampler')) await this.#sampling(name, part as RecordedSampling);
  }

  async #texts(): Promise<void> {
    for (const [name, { prompt }] of Object.entries(this.numbers.recording.text ?? {})) {
      const { tensor, pooled } = await this.checkpoint.clip.encode(prompt, never);
      this.#conditionings.set(name, [{ tensor, options: { ...(pooled && { pooled }) } }]);
      this.#compare(`text.${name}.cond`, tensor.data);
      if (pooled) this.#compare(`text.${name}.pooled_output`, pooled.data);
    }
  }

  async #images(): Promise<void> {
    const { 'vae.image': image, 'vae.latent': latent } = this.numbers.recording.inputs ?? {};
    const { vae } = this.checkpoint;
    if (image) this.#compare('vae.encode', (await vae.encode(this.recipe.input(image), never)).data);
    if (latent) this.#compare('vae.decode', (await vae.decode(this.recipe.input(latent), never)).data);
  }

  async #network(): Promise<void> {
    const { eval: calls = {}, inputs = {} } = this.numbers.recording;
    const { x, context, y } = inputs;
    if (!x || !context) return;
    const tensor = this.recipe.input(context);
    const conditioning: Conditioning = [{ tensor, options: { ...(y && { pooled: this.recipe.input(y) }) } }];
    const guider = basicGuider(this.checkpoint.model, conditioning);
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
    if (!positive || !negative || !shape) return;
    const { model } = this.checkpoint;
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
    const difference = this.numbers.difference(name, actual);
    if (difference === undefined) return;
    const isNear = difference <= tolerance;
    if (!isNear) this.failed++;
    console.log(`${isNear ? 'ok  ' : 'FAR '} ${name}: ${difference.toExponential(1)} of its spread`);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { numbers: { type: 'string', default: '../shared/checkpoints' } },
});
const folder = resolve(values.numbers);
const recipe = new Recipe(folder, resolve('.cache/checkpoints'));
let failed = 0;
for (const name of positionals) {
  const { host, home, remove } = await onnxHost();
  try {
    const path = 'models/checkpoints/checkpoint.safetensors';
    const place = join(home, path);
    await mkdir(dirname(place), { recursive: true });
    await link(recipe.checkpoint(name), place);
    const start = performance.now();
    const replay = new Replay(
      new RecordedNumbers(join(folder, 'numbers'), name),
      recipe,
      await openCheckpointFile(host, path),
    );
    await replay.run();
    console.log(
      `${name}: ${replay.failed} outside of the tolerance, ${((performance.now() - start) / 1000).toFixed(1)} s`,
    );
    failed += replay.failed;
  } finally {
    await remove();
  }
}
process.exit(failed > 0 ? 1 : 0);
