import type { Region } from './regions.ts';

/** What is to be where counts without the prompt, too, so that guidance does not drive it away. */
export function withSharedGligen(regions: readonly Region[], partners: readonly Region[]): Region[] {
  const gligen = partners.find(({ entry }) => entry.options.gligen)?.entry.options.gligen;
  if (!gligen) return [...regions];
  return regions.map((region) => {
    const { entry } = region;
    return entry.options.gligen
      ? region
      : { ...region, entry: { ...entry, options: { ...entry.options, gligen } } };
  });
}
