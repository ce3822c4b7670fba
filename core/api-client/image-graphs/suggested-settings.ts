import table from './suggested.json' with { type: 'json' };
import type { ImageSettings } from './text-to-image.ts';

/** The settings that depend on the model alone. */
export type SuggestedSettings = Pick<
  ImageSettings,
  'width' | 'height' | 'steps' | 'guidance' | 'sampler' | 'scheduler'
>;

/** The settings that a model's authors recommend. Undefined for unknown models. */
export function suggestedSettings(checkpoint: string): SuggestedSettings | undefined {
  return table.find(({ model }) => checkpoint === model || checkpoint.startsWith(`${model}:`))?.settings;
}
