import type { ItemPack, SharedPack } from '../expressions/pack-scope.ts';
import type { ScriptFailure } from './script-failure.ts';

/** One run of a Code node, as a sandbox receives it. */
export interface CodeScript {
  /** The body of an async function, in the language of the thread. */
  code: string;
  mode: 'allItems' | 'eachItem';
  /** JSON of the value that JavaScript finds as `__input`, and Python as one variable for each entry. */
  input?: string;
  shared: SharedPack;
  /** The current items, one after the other. In `allItems` only the first. */
  items: ItemPack[];
  /** Whether to run the next item after one has failed. */
  continueOnFail: boolean;
  /** JSON of both parts of the workflow's static data. */
  staticData: { global: string; node: string };
}

export interface CodeResult {
  outcomes: CodeOutcome[];
  /** JSON of those parts that the code changed. */
  staticData?: { global?: string; node?: string };
  /** The entries that the code set in `$execution.customData`. */
  customData?: Record<string, string>;
}

export type CodeOutcome =
  /** JSON of the returned value. Undefined when the code returned nothing. */
  { json?: string } | { failure: CodeFailure };

export interface CodeFailure extends ScriptFailure {
  /** The code used a method that its mode does not have, so every other item would fail as well. */
  refused?: boolean;
}
