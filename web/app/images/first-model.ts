import table from './suggested.json' with { type: 'json' };
import type { ImageSettings } from './text-to-image.ts';

/** A model that can be had with one click where there is none yet. */
export interface BundledModel {
  model: string;
  /** Of its download. */
  bytes: number;
  licence: string;
}

export type SuggestedSettings = Pick<
  ImageSettings,
  'width' | 'height' | 'steps' | 'guidance' | 'sampler' | 'scheduler'
>;

const MODEL = 'emoji-128';

/** The model that comes with this page; undefined where its host does not have it. */
export async function findBundledModel(
  page: string = document.baseURI,
  ask: typeof fetch = fetch,
): Promise<BundledModel | undefined> {
  try {
    const response = await ask(new URL(`weights/${MODEL}/files.json`, page));
    if (!response.ok) return undefined;
    const files = (await response.json()) as { size: number }[];
    return { model: MODEL, bytes: files.reduce((sum, { size }) => sum + size, 0), licence: 'MIT' };
  } catch {
    return undefined;
  }
}

/** What the makers of a model say that it is to be used with; undefined for unknown ones. */
export function suggestedSettings(checkpoint: string): SuggestedSettings | undefined {
  return table.find(({ model }) => checkpoint === model || checkpoint.startsWith(`${model}:`))?.settings;
}
