import type { ItemPack, SharedPack } from '../expressions/pack.ts';

/** One run of a Code node, as it is given to a sandbox. */
export interface CodeScript {
  /** The body of an async function. */
  code: string;
  mode: 'allItems' | 'eachItem';
  shared: SharedPack;
  /** The current item: the first one in `allItems`. */
  item: ItemPack;
  /** JSON of both parts of the workflow's static data. */
  staticData: { global: string; node: string };
}

/** What came back. */
export interface CodeResult {
  /** JSON of what the code returned; undefined when it returned nothing. */
  json?: string;
  /** JSON of the parts that the code changed. */
  staticData?: { global?: string; node?: string };
  /** `$execution.customData` that was set. */
  customData?: Record<string, string>;
}
