import type { Recommendation } from '../api-client.ts';
import { modelStrings } from '../strings/models.ts';
import { bytes } from '../ui/format.ts';
import { canChat } from './capabilities.ts';
import { type ModelFit, rateFit } from './model-fit.ts';
import type { DeviceResources } from './resources.ts';
import { downloadSize } from './suggestions.ts';

/** A suggestion, and what it needs of this device. */
export interface SuggestionFacts {
  suggestion: Recommendation;
  /** Undefined when the device or the size is unknown, and for models that do not chat. */
  fit: ModelFit | undefined;
  /** The size of the download as text. */
  sizeText: string | undefined;
  /** Bytes of the download. */
  size: number | undefined;
  /** Texts: parameters, sizes and licence, as far as they are known. */
  facts: string[];
}

/** @param pageModel the model that the page's server offers as a file */
export function suggestionFacts(
  suggestion: Recommendation,
  resources: DeviceResources | undefined,
  pageModel: { model: string; bytes: number } | undefined,
): SuggestionFacts {
  const { license, parameter_size: parameters } = suggestion;
  const size = downloadSize(suggestion, pageModel);
  const fit =
    size && resources && canChat(suggestion)
      ? rateFit({ format: 'gguf', bytes: size.bytes }, resources.device, resources.freeBytes)
      : undefined;
  const sizeText = size && (size.isEstimate ? modelStrings.about(bytes(size.bytes)) : bytes(size.bytes));
  const needs = fit && modelStrings.needs(bytes(fit.memory));
  const facts = [parameters, sizeText, needs, license].filter((fact) => fact !== undefined && fact !== '');
  return { suggestion, fit, sizeText, size: size?.bytes, facts: facts as string[] };
}

/** The largest model that fits well: larger models answer better. Undefined when nothing is known of the device. */
export function bestSuggestion(all: readonly SuggestionFacts[]): SuggestionFacts | undefined {
  const fitting = all.filter(({ fit }) => fit?.verdict === 'good');
  return fitting.sort((a, b) => b.size! - a.size!)[0];
}
