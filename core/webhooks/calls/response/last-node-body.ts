/** The response of the mode "When Last Node Finishes". */
import { getPath, type Item, type RunState } from '#core/workflow-format';
import type { RunResult } from '../../engine/run/run-result.ts';
import { CallError } from '../../errors.ts';
import type { NodeResponse } from '../../node-api/node-response.ts';

interface LastNodeChoice {
  /** `firstEntryJson`, `allEntries`, `firstEntryBinary` or `noData`. */
  data: string;
  /** A path in the first item. Empty: all of the item. */
  property: string;
  /** The name of a file of the first item. */
  file: string;
}

/** The last node has no output that could be sent. */
class NothingToReturn extends CallError {
  override name = 'NothingToReturn';
  constructor(message: string) {
    super(500, message, { code: 0 });
  }
}

/** @throws NothingToReturn */
export function lastNodeBody({ state }: RunResult, choice: LastNodeChoice): NodeResponse['body'] {
  if (choice.data === 'noData') return { kind: 'none' };
  const items = lastItems(state);
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

/** The items of the first output. */
function lastItems({ runData, lastNode }: RunState): Item[] {
  return (lastNode === undefined ? undefined : runData[lastNode]?.at(-1)?.data?.main?.[0]) ?? [];
}
