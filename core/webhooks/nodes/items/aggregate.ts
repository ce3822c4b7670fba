/** One item out of many: fields gathered into lists, or whole items into one list. */

import {
  type Binary,
  deletePath,
  getPath,
  type Item,
  type JsonObject,
  setPath,
  splitPath,
} from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { commaList } from '../shared/comma-list.ts';
import { disableDotNotation } from '../shared/fields.ts';
import { choice, fixedCollectionList, flag, group, options, text } from '../shared/parameters.ts';

interface Field {
  fieldToAggregate?: string;
  renameField?: boolean;
  outputFieldName?: string;
}

const allData = { aggregate: ['aggregateAllItemData'] };

export const aggregate: NodeType = {
  name: 'n8n-nodes-base.aggregate',
  label: 'Aggregate',
  description: 'Gathers fields or whole items into one item.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('aggregate', 'Aggregate', 'aggregateIndividualFields', {
      options: {
        aggregateIndividualFields: 'Individual Fields',
        aggregateAllItemData: 'All Item Data (Into a Single List)',
      },
    }),
    fixedCollectionList('fieldsToAggregate', 'Fields To Aggregate', {
      default: { fieldToAggregate: [{ fieldToAggregate: '', renameField: false }] },
      show: { aggregate: ['aggregateIndividualFields'] },
      groups: [
        group('fieldToAggregate', 'Field', [
          text('fieldToAggregate', 'Input Field Name'),
          flag('renameField', 'Rename Field'),
          text('outputFieldName', 'Output Field Name', { show: { renameField: [true] } }),
        ]),
      ],
    }),
    text('destinationFieldName', 'Put Output in Field', { default: 'data', show: allData }),
    choice('include', 'Include', 'allFields', {
      show: allData,
      options: {
        allFields: 'All Fields',
        specifiedFields: 'Specified Fields',
        allFieldsExcept: 'All Fields Except',
      },
    }),
    text('fieldsToInclude', 'Fields To Include', { show: { ...allData, include: ['specifiedFields'] } }),
    text('fieldsToExclude', 'Fields To Exclude', { show: { ...allData, include: ['allFieldsExcept'] } }),
    options({
      fields: [
        disableDotNotation,
        flag('mergeLists', 'Merge Lists'),
        flag('includeBinaries', 'Include Binaries'),
        flag('keepOnlyUnique', 'Keep Only Unique Binaries'),
        flag('keepMissing', 'Keep Missing And Null Values'),
      ],
    }),
  ],
  async execute(context) {
    const items = context.items();
    const options = await context.parameter<JsonObject>('options', 0, {});
    const flat = options.disableDotNotation === true;
    const json: JsonObject = {};
    if ((await context.parameter('aggregate', 0)) === 'aggregateAllItemData') {
      const include = await context.parameter('include', 0);
      const fields = commaList(
        await context.parameter(include === 'specifiedFields' ? 'fieldsToInclude' : 'fieldsToExclude', 0, ''),
      );
      const name = String((await context.parameter('destinationFieldName', 0)) || 'data');
      const rows = items.map((item) => chosen(item.json, include, fields));
      json[name] = include === 'allFields' ? rows : rows.filter((row) => Object.keys(row).length > 0);
    } else {
      const fields = (await context.parameter<Field[]>('fieldsToAggregate.fieldToAggregate', 0, [])) ?? [];
      if (fields.every(({ fieldToAggregate }) => !fieldToAggregate)) {
        throw new NodeError('No fields specified', { description: 'Please add a field to aggregate' });
      }
      gather(json, items, fields, options, flat);
    }
    const made: Item = { json, pairedItem: items.map((_, item) => ({ item })) };
    if (options.includeBinaries === true) made.binary = binaries(items, options.keepOnlyUnique === true);
    return [[made]];
  },
};

function gather(json: JsonObject, items: Item[], fields: Field[], options: JsonObject, flat: boolean): void {
  for (const { fieldToAggregate: field, renameField, outputFieldName } of fields) {
    if (!field) continue;
    const target = renameField && outputFieldName ? outputFieldName : flat ? field : splitPath(field).at(-1)!;
    if (Object.hasOwn(json, target)) {
      throw new NodeError(`The '${target}' output field is used more than once`, {
        description: 'Please make sure each output field name is unique',
      });
    }
    const values: unknown[] = [];
    for (const item of items) {
      const value = flat ? item.json[field] : getPath(item.json, field);
      const present = value !== undefined && value !== null;
      if (!present && options.keepMissing !== true) continue;
      if (Array.isArray(value) && options.mergeLists === true) {
        values.push(...(options.keepMissing === true ? value : value.filter((one) => one !== null)));
      } else values.push(value ?? null);
    }
    if (flat || (renameField && outputFieldName)) json[target] = values;
    else setPath(json, target, values);
  }
}

function chosen(json: JsonObject, include: unknown, fields: string[]): JsonObject {
  if (include === 'specifiedFields') {
    const row: JsonObject = {};
    for (const field of fields) {
      const value = getPath(json, field);
      if (value !== undefined) row[field] = value;
    }
    return row;
  }
  if (include !== 'allFieldsExcept') return json;
  const row = structuredClone(json);
  for (const field of fields) deletePath(row, field);
  return row;
}

function binaries(items: Item[], unique: boolean): Record<string, Binary> {
  const all: Record<string, Binary> = {};
  const seen = new Set<string>();
  for (const { binary } of items) {
    for (const [name, file] of Object.entries(binary ?? {})) {
      const same = `${file.mimeType}\n${file.fileName}\n${file.fileSize}\n${file.fileExtension}`;
      if (unique && seen.has(same)) continue;
      seen.add(same);
      let key = name;
      for (let number = 1; Object.hasOwn(all, key); number++) key = `${name}_${number}`;
      all[key] = file;
    }
  }
  return all;
}
