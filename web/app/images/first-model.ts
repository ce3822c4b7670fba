import table from './suggested.json' with { type: 'json' };
import type { PictureSettings } from './text-to-image.ts';

/** A model that can be had with one click where there is none yet. */
export interface FirstModel {
  model: string;
  /** Of its download. */
  bytes: number;
  licence: string;
}

export type Suggested = Pick<
  PictureSettings,
  'width' | 'height' | 'steps' | 'guidance' | 'sampler' | 'scheduler'
>;

const MODEL = 'emoji-128';

/** The model that comes with this page; undefined where its host does not have it. */
export async function firstModel(
  page: string = document.baseURI,
  ask: typeof fetch = fetch,
): Promise<FirstModel | undefined> {
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
export function suggestedFor(checkpoint: string): Suggested | undefined {
  return table.find(({ model }) => checkpoint === model || checkpoint.startsWith(`${model}:`))?.settings;
}
