import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { ActivePatches } from '../../values/graph-patch.ts';
import type { NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { averageRegions } from './average-regions.ts';
import { inWindows } from './context-windows.ts';
import { controlResiduals } from './control-nets.ts';
import { HookedNetworks } from './hooked-networks.ts';
import type { Predict } from './prediction.ts';
import { cutArea, type LatentArea, type Region } from './regions.ts';
import { NetworkCache } from './step-cache.ts';

/** Returns the function that predicts for one run of a sampler. */
export function predictor(model: DiffusionModel, signal: AbortSignal): Predict {
  const predict = plainPredictor(model, signal);
  return model.windows ? inWindows(model.windows, predict) : predict;
}

function plainPredictor(model: DiffusionModel, signal: AbortSignal): Predict {
  // Each window would recall the output of another one.
  const cache =
    !model.windows && model.stepCache?.scope === 'network'
      ? new NetworkCache(model.stepCache, model.sampling)
      : undefined;
  const networks = new HookedNetworks(model);
  return async (lists, x, sigma, activePatches = []) => {
    signal.throwIfAborted();
    // Patched passes are never cached: their outputs differ from those of the network itself.
    const stepCache = activePatches.length > 0 ? undefined : cache;
    stepCache?.begin();
    const active = lists.map((regions) => regions.filter(({ from, to }) => sigma <= from && sigma >= to));
    const patches = new Map(
      active.flatMap((regions, index) => regions.map((region) => [region, activePatches[index]])),
    );
    const denoised = new Map<Region, FloatTensor>();
    for (const group of networks.inOrder(groupRegions(active.flat(), networks, sigma))) {
      const part = cutArea(x, group.area);
      const step = { model, networks, cache: stepCache, sigma, signal };
      const outputs = await runGroup(step, group, part, patches);
      for (const [index, region] of group.regions.entries())
        denoised.set(region, model.sampling.denoised(sigma, outputs[index]!, part));
    }
    return active.map((regions) => averageRegions(regions, denoised, x.shape));
  };
}

/** Regions that run as one batch. */
interface RegionGroup {
  area: LatentArea | undefined;
  /** The key of the adapters, as `HookedNetworks.keyOf` returns it. */
  adapters: string;
  regions: Region[];
}

function groupRegions(regions: readonly Region[], networks: HookedNetworks, sigma: number): RegionGroup[] {
  const groups = new Map<string, RegionGroup>();
  for (const region of regions) {
    const { area } = region;
    const { hooks, gligen } = region.entry.options;
    const areaKey = area ? `${area.y},${area.x},${area.height},${area.width}` : '';
    const adapters = networks.keyOf(hooks, sigma);
    const key = `${areaKey} ${adapters} ${gligen?.model.name}`;
    const group = groups.get(key) ?? { area, adapters, regions: [] };
    group.regions.push(region);
    groups.set(key, group);
  }
  return [...groups.values()];
}

interface StepContext {
  model: DiffusionModel;
  networks: HookedNetworks;
  cache: NetworkCache | undefined;
  sigma: number;
  signal: AbortSignal;
}

/** The network's outputs for a group of regions. `part`: the noisy latent, cut to the group's area. */
async function runGroup(
  { model, networks, cache, sigma, signal }: StepContext,
  { area, regions }: RegionGroup,
  part: FloatTensor,
  patches: ReadonlyMap<Region, ActivePatches | undefined>,
): Promise<FloatTensor[]> {
  const { sampling } = model;
  const input = sampling.input(sigma, part);
  const cached = cache?.recall(input, sigma, regions);
  if (cached) return cached;
  const residuals = await controlResiduals(regions, model, part, sigma, signal);
  const prompts = regions.map((region): NetworkPrompt => {
    const { entry, concat, imageInputs } = region;
    const { noiseMask } = imageInputs ?? {};
    const control = residuals.get(region);
    const activePatches = patches.get(region);
    return {
      ...entry,
      sigma,
      ...imageInputs,
      ...(noiseMask && { noiseMask: cutArea(noiseMask, area) }),
      ...(concat && { concat: cutArea(concat, area) }),
      ...(control && { control }),
      ...(activePatches && { activePatches }),
    };
  });
  const { hooks, gligen } = regions[0]!.entry.options;
  const adapted = await networks.networkOf(hooks, sigma);
  const network = gligen ? await gligen.model.networkFor(adapted, signal) : adapted;
  const outputs = await network.predict(input, sampling.timestepOf(sigma), prompts, signal);
  cache?.learn(input, sigma, regions, outputs);
  return outputs;
}
