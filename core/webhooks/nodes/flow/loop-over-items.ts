/** Passes items on in batches. The items that return from the loop are collected until all batches are done. */

import type { Item } from '#core/workflow-format';
import type { NodeType } from '../../node-api/node-type.ts';
import { flag, number, options } from '../shared/parameters.ts';

/** Stored in the execution between the runs of the node. */
interface LoopProgress {
  /** Items that were not passed on yet. */
  left: Item[];
  /** Items that returned from the loop. */
  processed: Item[];
  currentRunIndex: number;
  maxRunIndex: number;
  noItemsLeft: boolean;
  done: boolean;
}

export const loopOverItems: NodeType = {
  name: 'n8n-nodes-base.splitInBatches',
  label: 'Loop Over Items',
  description: 'Passes items on in batches until all have been processed.',
  group: 'flow',
  versions: [1, 2, 3],
  inputs: 1,
  outputs: ({ version }) => (version >= 3 ? ['done', 'loop'] : version === 2 ? ['loop', 'done'] : ['loop']),
  parameters: [
    number('batchSize', 'Batch Size', 10, { minimum: 1, versions: { to: 2 } }),
    number('batchSize', 'Batch Size', 1, { minimum: 1, versions: { from: 3 } }),
    options({
      fields: [flag('reset', 'Reset', { description: 'Starts again with the current input items.' })],
    }),
  ],
  async execute(context) {
    const size = Math.max(1, Math.floor(Number(await context.parameter('batchSize', 0))) || 1);
    // Items are passed on in later runs of the node. The source says that they belong to the input of this run.
    const source = context.source(0);
    const incoming = context.items().map((item, index) => ({
      ...item,
      pairedItem: { item: index, ...(source && { sourceOverwrite: source }) },
    }));
    const reset = (await context.parameter('options.reset', 0, false)) === true;
    let progress = context.memory.loop as LoopProgress | undefined;
    if (!progress || progress.done || reset) {
      progress = {
        left: [...incoming],
        processed: [],
        currentRunIndex: 0,
        maxRunIndex: Math.ceil(incoming.length / size),
        noItemsLeft: false,
        done: false,
      };
      context.memory.loop = progress;
    } else {
      progress.processed.push(...incoming);
      progress.currentRunIndex++;
    }
    const batch = progress.left.splice(0, size);
    progress.noItemsLeft = progress.left.length === 0;
    context.memory.currentRunIndex = progress.currentRunIndex;
    context.memory.maxRunIndex = progress.maxRunIndex;
    context.memory.noItemsLeft = progress.noItemsLeft;
    context.memory.done = false;
    if (batch.length > 0) return outputs(context.version, batch, null);
    progress.done = true;
    context.memory.done = true;
    return outputs(context.version, null, progress.processed);
  },
};

/** The order of the outputs. Version 2 has the loop first; version 1 has no other output. */
function outputs(version: number, loop: Item[] | null, done: Item[] | null) {
  if (version >= 3) return [done ?? [], loop ?? []];
  if (version === 2) return [loop ?? [], done ?? []];
  return [loop];
}
