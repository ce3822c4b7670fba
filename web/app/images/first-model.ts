import table from './suggested.json' with { type: 'json' };
import type { ImageSettings } from './text-to-image.ts';

/** The model that the app offers when no image model is installed. */
export interface BundledModel {
  model: string;
  /** Size of the download. */
  bytes: number;
  licence: string;
}

export type SuggestedSettings = Pick<
  ImageSettings,
  'width' | 'height' | 'steps' | 'guidance' | 'sampler' | 'scheduler'
>;

const MODEL = 'emoji-128';

/** The model whose weights the app's host serves. Undefined when the host does not serve them. */
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

/** The settings that a model's authors recommend. Undefined for unknown models. */
export function suggestedSettings(checkpoint: string): SuggestedSettings | undefined {
  return table.find(({ model }) => checkpoint === model || checkpoint.startsWith(`${model}:`))?.settings;
}
