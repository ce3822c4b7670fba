/** Edit Fields: makes new fields or a whole new object for each item. */

import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { type Assignment, assign } from './set/assign.ts';
import { includedFields } from './set/include.ts';
import { olderSet } from './set/older.ts';
import { setParameters } from './set/parameters.ts';
import { rawObject } from './set/raw-object.ts';

export const set: NodeType = {
  name: 'n8n-nodes-base.set',
  label: 'Edit Fields (Set)',
  description: 'Sets fields of items, or makes new items.',
  group: 'data',
  versions: [1, 2, 3, 3.1, 3.2, 3.3, 3.4, 3.5],
  inputs: 1,
  outputs: ['main'],
  parameters: setParameters,
  async execute(context) {
    const make = context.version < 3 ? olderSet : setItem;
    const output = await perItem(context, (item, index) => make(context, item, index));
    return context.version >= 3 ? [await duplicated(context, output[0] ?? [])] : output;
  },
};

async function setItem(context: NodeContext, item: Item, index: number): Promise<Item> {
  const options = await context.parameter<JsonObject>('options', index, {});
  const json = await includedFields(context, item, index, options.dotNotation !== false);
  if ((await context.parameter('mode', index)) === 'raw') {
    Object.assign(json, rawObject(await context.parameter('jsonOutput', index), index));
  } else {
    for (const assignment of await assignments(context, index)) {
      assign(json, assignment, { index, options, timezone: context.timezone });
    }
  }
  const made: Item = { json };
  if (item.binary && (await keepsFiles(context, options, index))) made.binary = { ...item.binary };
  return made;
}

async function assignments(context: NodeContext, index: number): Promise<Assignment[]> {
  if (context.version >= 3.3) {
    return (await context.parameter<Assignment[]>('assignments.assignments', index, [])) ?? [];
  }
  const values = (await context.parameter<Record<string, unknown>[]>('fields.values', index, [])) ?? [];
  return values.map(({ name, type = 'stringValue', ...rest }) => ({
    name: String(name ?? ''),
    type: String(type).replace(/Value$/, ''),
    value: rest[String(type)],
  }));
}

async function keepsFiles(context: NodeContext, options: JsonObject, index: number): Promise<boolean> {
  if (context.version < 3.4) return options.includeBinary !== false;
  const others = await context.parameter('includeOtherFields', index);
  return others === true && options.stripBinary !== true;
}

/** For trying things out: copies of every item, in runs of the editor only. */
async function duplicated(context: NodeContext, items: Item[]): Promise<Item[]> {
  if (context.execution.mode !== 'manual' || (await context.parameter('duplicateItem', 0, false)) !== true) {
    return items;
  }
  const copies = Math.max(0, Math.floor(Number(await context.parameter('duplicateCount', 0, 0))));
  return items.flatMap((item) => Array.from({ length: copies + 1 }, () => structuredClone(item)));
}
