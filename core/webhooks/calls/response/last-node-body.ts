/** "When Last Node Finishes": what of the last node's output is answered. */

import { getPath, type Item } from '#core/workflow-format';
import type { RunResult } from '../../engine/run/run-result.ts';
import { CallError } from '../../errors.ts';
import type { NodeResponse } from '../../node-api/node-response.ts';

export interface LastNodeChoice {
  /** `firstEntryJson`, `allEntries`, `firstEntryBinary`, `noData` */
  data: string;
  /** Only this part of the first item. */
  property: string;
  /** Which file of the first item. */
  file: string;
}

/** There is nothing to answer with. */
export class NothingToReturn extends CallError {
  override name = 'NothingToReturn';
  constructor(message: string) {
    super(500, message, { code: 0 });
  }
}

/** Throws `NothingToReturn`. */
export function lastNodeBody({ state }: RunResult, choice: LastNodeChoice): NodeResponse['body'] {
  if (choice.data === 'noData') return { kind: 'none' };
  const items = itemsOfLast(state);
  if (choice.data === 'allEntries') return { kind: 'json', value: items.map(({ json }) => json) };
  const [first] = items;
  if (!first) throw new NothingToReturn('No item to return was found');
  if (choice.data !== 'firstEntryBinary') {
    const value = choice.property === '' ? first.json : getPath(first.json, choice.property);
    return value === undefined ? { kind: 'none' } : { kind: 'json', value };
  }
  if (!first.binary) throw new NothingToReturn('No binary data was found to return');
  if (!Object.hasOwn(first.binary, choice.file)) {
    throw new NothingToReturn(`The binary property '${choice.file}' which should be returned does not exist`);
  }
  return { kind: 'binary', binary: first.binary[choice.file]! };
}

/** Of the first output only. */
function itemsOfLast({ runData, lastNode }: RunResult['state']): Item[] {
  return (lastNode === undefined ? undefined : runData[lastNode]?.at(-1)?.data?.main[0]) ?? [];
}
