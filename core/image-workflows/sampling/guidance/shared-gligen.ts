import type { Region } from './regions.ts';

/** Copies the GLIGEN boxes of the prompt to the negative prompt, so that guidance does not act against them. */
export function withSharedGligen(regions: readonly Region[], promptRegions: readonly Region[]): Region[] {
  const gligen = promptRegions.find(({ entry }) => entry.options.gligen)?.entry.options.gligen;
  if (!gligen) return [...regions];
  return regions.map((region) => {
    const { tensor, options } = region.entry;
    return options.gligen ? region : { ...region, entry: { tensor, options: { ...options, gligen } } };
  });
}
