/** One item for each element of a list. */

import { isObject } from '#core/base';
import { deletePath, getPath, type Item, type JsonObject, setPath, splitPath } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { commaList } from '../shared/comma-list.ts';
import { disableDotNotation } from '../shared/fields.ts';
import { choice, flag, options, text } from '../shared/parameters.ts';

export const splitOut: NodeType = {
  name: 'n8n-nodes-base.splitOut',
  label: 'Split Out',
  description: 'Turns a list inside of items into separate items.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    text('fieldToSplitOut', 'Fields To Split Out', {
      required: true,
      placeholder: 'body.entries',
      description: 'Names of the fields, separated by commas.',
    }),
    choice('include', 'Include', 'noOtherFields', {
      options: {
        noOtherFields: 'No Other Fields',
        allOtherFields: 'All Other Fields',
        selectedOtherFields: 'Selected Other Fields',
      },
    }),
    text('fieldsToInclude', 'Fields To Include', { show: { include: ['selectedOtherFields'] } }),
    options({
      fields: [
        disableDotNotation,
        text('destinationFieldName', 'Destination Field Name'),
        flag('includeBinary', 'Include Binary'),
      ],
    }),
  ],
  execute: (context) =>
    perItem(context, async (item, index) => {
      const fields = commaList(await context.parameter('fieldToSplitOut', index));
      const include = await context.parameter('include', index);
      const others = commaList(await context.parameter('fieldsToInclude', index, ''));
      const options = await context.parameter<JsonObject>('options', index, {});
      const targets = commaList(options.destinationFieldName);
      const flat = options.disableDotNotation === true;
      if (targets.length > 0 && targets.length !== fields.length) {
        throw new NodeError(
          'If multiple fields to split out are given, the same number of destination fields must be given',
        );
      }
      const lists = fields.map((field) => elements(flat ? item.json[field] : getPath(item.json, field)));
      const rest = otherFields(item.json, include, fields, others, flat);
      const longest = Math.max(0, ...lists.map((list) => list.length));
      return Array.from({ length: longest }, (_, row): Item => {
        const json: JsonObject = structuredClone(rest);
        for (const [column, field] of fields.entries()) {
          const list = lists[column]!;
          if (row >= list.length) continue;
          const target = targets[column] ?? (flat ? field : splitPath(field).at(-1)!);
          put(json, target, list[row], include === 'noOtherFields' && fields.length === 1, flat);
        }
        const made: Item = { json, pairedItem: { item: index } };
        if (options.includeBinary === true && item.binary) made.binary = item.binary;
        return made;
      });
    }),
};

/** An object in a lone field becomes the item itself. */
function put(json: JsonObject, target: string, value: unknown, spread: boolean, flat: boolean): void {
  if (spread && isObject(value)) Object.assign(json, value);
  else if (flat) json[target] = value;
  else setPath(json, target, value);
}

function elements(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [value];
}

function otherFields(
  json: JsonObject,
  include: unknown,
  fields: string[],
  others: string[],
  flat: boolean,
): JsonObject {
  const rest: JsonObject = {};
  if (include === 'selectedOtherFields') {
    for (const field of others) {
      const value = flat ? json[field] : getPath(json, field);
      if (value === undefined) continue;
      if (flat) rest[field] = value;
      else setPath(rest, field, value);
    }
  } else if (include === 'allOtherFields') {
    Object.assign(rest, structuredClone(json));
    for (const field of fields) {
      if (flat) delete rest[field];
      else deletePath(rest, field);
    }
  }
  return rest;
}
