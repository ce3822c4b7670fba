import type { Recommendation } from '../api-client.ts';
import { canChat } from './capabilities.ts';
import { estimateFileBytes } from './model-fit.ts';

/** The recommendations that are neither installed nor downloading; with `chatOnly`, only models that can chat. */
export function openSuggestions(
  recommendations: readonly Recommendation[],
  taken: ReadonlySet<string>,
  chatOnly: boolean,
): Recommendation[] {
  return recommendations.filter(
    (suggestion) => !taken.has(suggestion.model) && (!chatOnly || canChat(suggestion)),
  );
}

/**
 * Bytes of a download. `isEstimate` marks a size that is derived from the parameter count of a language model.
 * Undefined when neither is available.
 */
export function downloadSize(
  { model, size, capabilities, parameter_size: parameters = '' }: Recommendation,
  pageModel?: { model: string; bytes: number },
): { bytes: number; isEstimate: boolean } | undefined {
  const exact = size ?? (model === `${pageModel?.model}:latest` ? pageModel?.bytes : undefined);
  if (exact !== undefined) return { bytes: exact, isEstimate: false };
  const estimate = canChat({ ...(capabilities && { capabilities }) })
    ? estimateFileBytes(parameters)
    : undefined;
  return estimate === undefined ? undefined : { bytes: estimate, isEstimate: true };
}
