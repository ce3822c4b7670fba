import type { ItemPack, SharedPack } from '../expressions/pack.ts';
import type { Failure } from './protocol.ts';

/** One run of a Code node, as it is given to a sandbox. */
export interface CodeScript {
  /** The body of an async function. */
  code: string;
  mode: 'allItems' | 'eachItem';
  /** JSON of what it finds as `__given`. */
  given?: string;
  shared: SharedPack;
  /** The current items, one after the other; in `allItems` only the first. */
  items: ItemPack[];
  /** After an item has failed, run the next. */
  goOn: boolean;
  /** JSON of both parts of the workflow's static data. */
  staticData: { global: string; node: string };
}

/** What came back. */
export interface CodeResult {
  outcomes: CodeOutcome[];
  /** JSON of the parts that the code changed. */
  staticData?: { global?: string; node?: string };
  /** `$execution.customData` that was set. */
  customData?: Record<string, string>;
}

export type CodeOutcome =
  /** JSON of what was returned; undefined when nothing was. */
  { json?: string } | { failure: CodeFailure };

export interface CodeFailure extends Failure {
  /** The code asked for what its mode does not have: no item could do better. */
  refused?: boolean;
}
