/** Replays the recorded numbers of image workflows: noise, sigmas, samplers on a formula, single nodes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededNoise } from '#core/image-workflows/sampling/initial-noise.ts';
import { flowLevels, fluxLevels } from '#core/image-workflows/sampling/model-sampling/flow.ts';
import { SAMPLERS } from '#core/image-workflows/sampling/samplers/samplers.ts';
import { samplerSigmas } from '#core/image-workflows/sampling/schedules/sampler-sigmas.ts';
import { schedule } from '#core/image-workflows/sampling/schedules/schedulers.ts';
import { sampleAnalytically, stableDiffusion } from '../../support/image-workflows/analytic-sampling.ts';
import { nodeNumbers } from './node-numbers.ts';

const TOLERANCE = 1e-4;

type Numbers = Record<string, (number | null)[]>;

interface Rule {
  match: string;
  why: string;
}

export const NUMBER_FILES = [
  'numeric-noise',
  'numeric-sigmas-sd15',
  'numeric-sigmas-flow',
  'numeric-samplers',
  'numeric-nodes',
];

/** The count of number rows, and a line for each that differs. */
export async function replayNumbers(
  golden: string,
  options: { only?: RegExp | undefined; notFollowed: readonly Rule[] },
): Promise<{ total: number; reasons: string[] }> {
  const read = (name: string) => {
    const path = join(golden, 'comfyui', `${name}.json`);
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8').replace(/\bNaN\b/g, 'null')) : undefined;
  };
  const reasons: string[] = [];
  let total = 0;
  const row = async (name: string, difference: () => Promise<string | undefined>) => {
    if (options.only && !options.only.test(name)) return;
    total++;
    const rule = options.notFollowed.find(({ match }) => new RegExp(match).test(name));
    const reason = rule
      ? `not followed: ${rule.why}`
      : await difference().catch((error) => `fails: ${error.message}`);
    if (reason) reasons.push(`${name}: ${reason}`);
  };
  const rows = async (
    name: string,
    numbers: Numbers,
    actual: (key: string) => Promise<ArrayLike<number>>,
  ) => {
    for (const [key, recorded] of Object.entries(numbers))
      await row(`${name} ${key}`, async () => farOff(recorded, await actual(key)));
  };

  const noise = read('numeric-noise');
  if (noise) await rows('numeric-noise', noise, async (key) => noiseOf(key));
  const levels = read('numeric-sigmas-sd15');
  if (levels) await rows('numeric-sigmas-sd15', levels.table, async (key) => levelsOf(key));
  const flow = read('numeric-sigmas-flow');
  if (flow) await rows('numeric-sigmas-flow', flow, async (key) => flowLevelsOf(key));
  const samplers = read('numeric-samplers');
  if (samplers) await rows('numeric-samplers', samplers.results, samplerEnd);
  const nodes = read('numeric-nodes');
  if (nodes)
    for (const [index, node] of nodes.entries())
      await row(`numeric-nodes ${index} ${node.node}`, () => nodeNumbers(node, TOLERANCE));
  return { total, reasons };
}

function farOff(recorded: (number | null)[], actual: ArrayLike<number>): string | undefined {
  if (recorded.length !== actual.length) return `${actual.length} numbers instead of ${recorded.length}`;
  let largest = 0;
  for (const [index, value] of recorded.entries()) {
    const difference = Math.abs((value ?? Number.NaN) - actual[index]!);
    if (!(difference <= TOLERANCE))
      largest = Math.max(largest, Number.isNaN(difference) ? Infinity : difference);
  }
  return largest > 0 ? `off by ${largest.toPrecision(3)}` : undefined;
}

function noiseOf(key: string): Float32Array {
  const [, seed, shape, indices] = /^seed=(\d+) shape=\[([\d, ]+)\](?: batch_index=\[([\d,]+)\])?$/.exec(
    key,
  )!;
  return seededNoise(BigInt(seed!), shape!.split(',').map(Number), indices?.split(',').map(Number)).data;
}

function levelsOf(key: string): Float32Array {
  const plain = /^(\w+)\/(\d+)$/.exec(key);
  if (plain) return schedule(plain[1]!, stableDiffusion, Number(plain[2]));
  const [, sampler, scheduler, steps, denoise] = /^KSampler (\w+)\/(\w+) steps=(\d+) denoise=([\d.]+)$/.exec(
    key,
  )!;
  return samplerSigmas(stableDiffusion, {
    sampler: sampler!,
    scheduler: scheduler!,
    steps: Number(steps),
    denoise: Number(denoise),
  });
}

function flowLevelsOf(key: string): Float32Array {
  const [, flux, scheduler, steps, shift] = /^(flux )?(\w+)\/(\d+) shift=([\d.]+)$/.exec(key)!;
  return schedule(scheduler!, (flux ? fluxLevels : flowLevels)(Number(shift)), Number(steps));
}

async function samplerEnd(key: string): Promise<Float32Array> {
  const [sampler, levels] = key.split('/') as [string, string];
  const sigmas = samplerSigmas(stableDiffusion, {
    sampler,
    scheduler: levels.replace('5', ''),
    steps: 5,
    denoise: 1,
  });
  return (await sampleAnalytically(SAMPLERS[sampler]!.make(), sigmas, 5n, [1, 4, 2, 2])).end.data;
}
