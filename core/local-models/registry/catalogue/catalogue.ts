import type { Capability, ModelName } from '../../base/installed-model.ts';
import { canonicalName, parseName } from '../names/model-name.ts';
import catalogue from './catalogue.json' with { type: 'json' };

/** A model that tabd knows by a short name. */
export interface CatalogueEntry {
  /** `smollm2:135m` */
  name: string;
  /** Further names: `smollm2:latest`. */
  also?: string[];
  description: string;
  /** The number of parameters in the makers' spelling: `135M`, `1.7B`. */
  parameters: string;
  /** The SPDX identifier, or the makers' name of the licence. */
  licence: string;
  /** Default: the format of the source. */
  format?: 'diffusers';
  /** Default: `completion`, or `image` for an image model. */
  capabilities?: Capability[];
  /** The size of the download, as far as it is known before the pull. */
  bytes?: number;
  /** A pull tries them in order. */
  sources: CatalogueSource[];
  /** Ids of the same model in web-llm's list, for GPUs that the sources above cannot use. */
  mlc?: string[];
  /** The evidence for sources and licence, with the day of the look-up. */
  cited: (
    | { url: string; date: string }
    | { package: string; date: string }
    | { file: string; date: string }
  )[];
}

export type CatalogueSource =
  /** A repository of the model hub. Default: its usual quantization. `without` lists folders that are left out. */
  | { hub: string; file?: string; revision?: string; without?: string[] }
  /** `pypi:NAME==VERSION!path`; or `site:NAME`, a model that comes with the page. */
  | { package: string };

export const catalogueEntries = catalogue.models as readonly CatalogueEntry[];

/** The model for people who name none. */
export const defaultModel: string = catalogue.default;

/** The capabilities of a model before it is installed. */
export function declaredCapabilities({ capabilities, format }: CatalogueEntry): readonly Capability[] {
  return capabilities ?? (format === 'diffusers' ? ['image'] : ['completion']);
}

/** Finds the entry with this name, in any spelling. */
export function findInCatalogue(name: ModelName): CatalogueEntry | undefined {
  return byName.get(canonicalName(name));
}

const byName = new Map(
  catalogueEntries.flatMap((entry) =>
    [entry.name, ...(entry.also ?? [])].map((name) => [canonicalName(parseName(name)), entry] as const),
  ),
);
