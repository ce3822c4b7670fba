import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { ActivePatches } from '../../values/graph-patch.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { controlResiduals } from './control-nets.ts';
import { HookedNetworks } from './hooked-networks.ts';
import { type Area, cutArea, type Region, regionWeights } from './regions.ts';
import { NetworkCache } from './step-cache.ts';

/**
 * The clean latents that a model sees in `x` under several lists of regions, with what is in force for each list. Within a list, regions are averaged cell by
 * cell by how much they count there (Bar-Tal et al., "MultiDiffusion", 2023, equation 5). Regions of one area with the
 * same adapters run through the network together.
 */
export type Predict = (
  lists: readonly (readonly Region[])[],
  x: FloatTensor,
  sigma: number,
  inForce?: readonly (ActivePatches | undefined)[],
) => Promise<FloatTensor[]>;

/** For one run. */
export function predictor(model: DiffusionModel, signal: AbortSignal): Predict {
  const reuse =
    model.stepCache?.scope === 'network' ? new NetworkCache(model.stepCache, model.sampling) : undefined;
  const networks = new HookedNetworks(model);
  return (lists, x, sigma, inForce = []) =>
    predict(
      model,
      { reuse: inForce.length > 0 ? undefined : reuse, networks },
      lists,
      x,
      sigma,
      inForce,
      signal,
    );
}

async function predict(
  model: DiffusionModel,
  { reuse, networks }: { reuse: NetworkCache | undefined; networks: HookedNetworks },
  lists: readonly (readonly Region[])[],
  x: FloatTensor,
  sigma: number,
  inForce: readonly (ActivePatches | undefined)[],
  signal: AbortSignal,
): Promise<FloatTensor[]> {
  signal.throwIfAborted();
  reuse?.begin();
  const active = lists.map((regions) => regions.filter(({ from, to }) => sigma <= from && sigma >= to));
  const forces = new Map(active.flatMap((regions, index) => regions.map((one) => [one, inForce[index]])));
  const groups = new Map<string, { area: Area | undefined; adapters: string; regions: Region[] }>();
  for (const region of active.flat()) {
    const { area } = region;
    const place = area ? `${area.y},${area.x},${area.height},${area.width}` : '';
    const adapters = networks.keyOf(region.entry.options.hooks, sigma);
    const key = `${place} ${adapters} ${region.entry.options.gligen?.model.name}`;
    const group = groups.get(key) ?? { area, adapters, regions: [] };
    group.regions.push(region);
    groups.set(key, group);
  }
  const seen = new Map<Region, FloatTensor>();
  for (const { area, regions } of networks.inOrder([...groups.values()])) {
    const part = cutArea(x, area);
    const input = model.sampling.input(sigma, part);
    let outputs = reuse?.recall(input, sigma, regions);
    if (!outputs) {
      const controls = await controlResiduals(regions, model, part, sigma, signal);
      const prompts = regions.map((region): NetworkPrompt => {
        const { entry, concat, told } = region;
        const control = controls.get(region);
        const force = forces.get(region);
        return {
          ...entry,
          sigma,
          ...told,
          ...(concat && { concat: cutArea(concat, area) }),
          ...(control && { control }),
          ...(force && { activePatches: force }),
        };
      });
      const { hooks, gligen } = regions[0]!.entry.options;
      const network = await networks.networkOf(hooks, sigma);
      outputs = await (gligen ? await gligen.model.networkFor(network, signal) : network).predict(
        input,
        model.sampling.timestepOf(sigma),
        prompts,
        signal,
      );
      reuse?.learn(input, sigma, regions, outputs);
    }
    for (const [index, region] of regions.entries())
      seen.set(region, model.sampling.denoised(sigma, outputs[index]!, part));
  }
  return active.map((regions) => average(regions, seen, x.shape));
}

const isDefault = ({ entry }: Region): boolean => entry.options.region?.isDefault === true;

function average(
  regions: readonly Region[],
  seen: Map<Region, FloatTensor>,
  shape: readonly number[],
): FloatTensor {
  const [only] = regions;
  if (regions.length === 1 && only && !only.area && !only.mask) return seen.get(only)!;
  const [batch = 1, channels = 1, height = 1, width = 1] = shape;
  const sum = new Float32Array(batch * channels * height * width);
  const counts = new Float32Array(batch * height * width);
  // Defaults come last: they count as much as is missing to one.
  const inOrder = [...regions].sort((a, b) => Number(isDefault(a)) - Number(isDefault(b)));
  const firstDefault = inOrder.findIndex(isDefault);
  let others: Float32Array | undefined;
  for (const [index, region] of inOrder.entries()) {
    if (index === firstDefault) others = counts.slice();
    const weights = regionWeights(region, shape);
    const area = region.area ?? { y: 0, x: 0, height, width };
    const { data } = seen.get(region)!;
    for (let picture = 0; picture < batch; picture++)
      for (let row = 0; row < area.height; row++)
        for (let column = 0; column < area.width; column++) {
          const inside = (picture * area.height + row) * area.width + column;
          const cell = (area.y + row) * width + area.x + column;
          const own = typeof weights === 'number' ? weights : weights[inside]!;
          const weight = others ? own * Math.max(0, 1 - others[picture * height * width + cell]!) : own;
          counts[picture * height * width + cell]! += weight;
          for (let channel = 0; channel < channels; channel++) {
            const plane = picture * channels + channel;
            sum[plane * height * width + cell]! +=
              weight * data[(plane * area.height + row) * area.width + column]!;
          }
        }
  }
  for (let i = 0; i < sum.length; i++) {
    const picture = Math.floor(i / (channels * height * width));
    // Where nothing counts, nothing is seen.
    sum[i]! /= Math.max(counts[picture * height * width + (i % (height * width))]!, 1e-37);
  }
  return { shape, data: sum };
}
