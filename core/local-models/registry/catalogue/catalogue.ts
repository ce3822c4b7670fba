import type { Capability, ModelName } from '../../base/installed-model.ts';
import { canonicalName, parseName } from '../names/model-name.ts';
import catalogue from './catalogue.json' with { type: 'json' };

/** A model that has a short name here, and where it comes from. */
export interface CatalogueEntry {
  /** `smollm2:135m` */
  name: string;
  /** Other names for it: `smollm2:latest`. */
  also?: string[];
  description: string;
  /** As its makers count them: `135M`, `1.7B`. */
  parameters: string;
  /** SPDX identifier, or the name that its makers give it. */
  licence: string;
  /** Where it is not what its source says: an image model. */
  format?: 'diffusers';
  /** What it is for, where that is more or other than to write. */
  capabilities?: Capability[];
  /** Of its download, where its makers or its package tell; else it is known when it is pulled. */
  bytes?: number;
  /** Tried in order. */
  sources: CatalogueSource[];
  /** The same model in web-llm's list, by its names there: for GPUs that the sources above cannot use. */
  mlc?: string[];
  /** The pages that name its sources and licence, and the day they were looked up. */
  cited: (
    | { url: string; date: string }
    | { package: string; date: string }
    | { file: string; date: string }
  )[];
}

export type CatalogueSource =
  /** A repository of the model hub; the usual quantisation unless a file is named, and of its folders not those in `without`. */
  | { hub: string; file?: string; revision?: string; without?: string[] }
  /** `pypi:NAME==VERSION!path`; `site:NAME`: a model of our own, which comes with the page. */
  | { package: string };

export const entries = catalogue.models as readonly CatalogueEntry[];

/** What people get who name no model. */
export const defaultModel: string = catalogue.default;

/** What a model is for, as far as it is known before it is there. */
export function usesOf({ capabilities, format }: CatalogueEntry): readonly Capability[] {
  return capabilities ?? (format === 'diffusers' ? ['image'] : ['completion']);
}

export function catalogued(name: ModelName): CatalogueEntry | undefined {
  return byName.get(canonicalName(name));
}

const byName = new Map(
  entries.flatMap((entry) =>
    [entry.name, ...(entry.also ?? [])].map((each) => [canonicalName(parseName(each)), entry] as const),
  ),
);
