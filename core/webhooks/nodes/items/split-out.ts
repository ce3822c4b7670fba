/** Makes one item of each element of a list. */

import { isObject } from '#core/base';
import { type Item, type JsonObject, splitPath } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { commaList } from '../shared/comma-list.ts';
import { disableDotNotation, omitFields, pickFields, readField, writeField } from '../shared/fields.ts';
import { choice, flag, options, text } from '../shared/parameters.ts';

export const splitOut: NodeType = {
  name: 'n8n-nodes-base.splitOut',
  label: 'Split Out',
  description: 'Turns the elements of a list into separate items.',
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
      const included = commaList(await context.parameter('fieldsToInclude', index, ''));
      const options = await context.parameter<JsonObject>('options', index, {});
      const targets = commaList(options.destinationFieldName);
      const dots = options.disableDotNotation !== true;
      if (targets.length > 0 && targets.length !== fields.length) {
        throw new NodeError(
          'If multiple fields to split out are given, the same number of destination fields must be given',
        );
      }
      const lists = fields.map((field) => elementsOf(readField(item.json, field, dots)));
      const rest =
        include === 'selectedOtherFields'
          ? pickFields(item.json, included, dots)
          : include === 'allOtherFields'
            ? omitFields(item.json, fields, dots)
            : {};
      // An object that is the only field of its item becomes the item's JSON.
      const spreadsObjects = include === 'noOtherFields' && fields.length === 1;
      const length = Math.max(0, ...lists.map((list) => list.length));
      return Array.from({ length }, (_, row): Item => {
        const json: JsonObject = structuredClone(rest);
        for (const [column, field] of fields.entries()) {
          const list = lists[column]!;
          if (row >= list.length) continue;
          const element = list[row];
          const target = targets[column] ?? (dots ? splitPath(field).at(-1)! : field);
          if (spreadsObjects && isObject(element)) Object.assign(json, element);
          else writeField(json, target, element, dots);
        }
        const output: Item = { json, pairedItem: { item: index } };
        if (options.includeBinary === true && item.binary) output.binary = item.binary;
        return output;
      });
    }),
};

function elementsOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [value];
}
