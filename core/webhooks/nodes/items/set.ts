/** Edit Fields: sets fields of each item, or replaces its JSON. */

import type { Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { type Assignment, assign } from './set/assign.ts';
import { includedFields } from './set/include.ts';
import { setLegacyFields } from './set/legacy.ts';
import { setParameters } from './set/parameters.ts';
import { parseRawObject } from './set/raw-object.ts';

export const set: NodeType = {
  name: 'n8n-nodes-base.set',
  label: 'Edit Fields (Set)',
  description: 'Sets fields of items, or replaces the items.',
  group: 'data',
  versions: [1, 2, 3, 3.1, 3.2, 3.3, 3.4, 3.5],
  inputs: 1,
  outputs: ['main'],
  parameters: setParameters,
  async execute(context) {
    if (context.version < 3) return perItem(context, (item, index) => setLegacyFields(context, item, index));
    const [items] = await perItem(context, (item, index) => setFields(context, item, index));
    return [await duplicateItems(context, items ?? [])];
  },
};

async function setFields(context: NodeContext, item: Item, index: number): Promise<Item> {
  const options = await context.parameter<JsonObject>('options', index, {});
  const json = await includedFields(context, item, index, options.dotNotation !== false);
  if ((await context.parameter('mode', index)) === 'raw') {
    Object.assign(json, parseRawObject(await context.parameter('jsonOutput', index), index));
  } else {
    for (const assignment of await readAssignments(context, index)) assign(json, assignment, index, options);
  }
  const output: Item = { json };
  if (item.binary && (await includesFiles(context, options, index))) output.binary = { ...item.binary };
  return output;
}

async function readAssignments(context: NodeContext, index: number): Promise<Assignment[]> {
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

async function includesFiles(context: NodeContext, options: JsonObject, index: number): Promise<boolean> {
  if (context.version < 3.4) return options.includeBinary !== false;
  const includeOtherFields = await context.parameter('includeOtherFields', index);
  return includeOtherFields === true && options.stripBinary !== true;
}

/** Adds copies of every item: a help for tests, in runs of the editor alone. */
async function duplicateItems(context: NodeContext, items: Item[]): Promise<Item[]> {
  if (context.execution.mode !== 'manual' || (await context.parameter('duplicateItem', 0, false)) !== true) {
    return items;
  }
  const copies = Math.max(0, Math.floor(Number(await context.parameter('duplicateCount', 0, 0))));
  return items.flatMap((item) => Array.from({ length: copies + 1 }, () => structuredClone(item)));
}
