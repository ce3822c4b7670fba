/** Makes one item of all: the values of fields become lists, or the items become one list. */

import { type Binary, getPath, type Item, type JsonObject, setPath, splitPath } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { commaList } from '../shared/comma-list.ts';
import { disableDotNotation, omitFields, readField } from '../shared/fields.ts';
import { choice, fixedCollectionList, flag, group, options, text } from '../shared/parameters.ts';

interface AggregatedField {
  fieldToAggregate?: string;
  renameField?: boolean;
  outputFieldName?: string;
}

const allData = { aggregate: ['aggregateAllItemData'] };

export const aggregate: NodeType = {
  name: 'n8n-nodes-base.aggregate',
  label: 'Aggregate',
  description: 'Combines fields, or all items, into one item.',
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
    const isAllData = (await context.parameter('aggregate', 0)) === 'aggregateAllItemData';
    const json = isAllData
      ? await aggregateItems(context, items)
      : await aggregateFields(context, items, options);
    const item: Item = { json, pairedItem: items.map((_, index) => ({ item: index })) };
    if (options.includeBinaries === true) item.binary = allFiles(items, options.keepOnlyUnique === true);
    return [[item]];
  },
};

async function aggregateItems(context: NodeContext, items: Item[]): Promise<JsonObject> {
  const include = await context.parameter('include', 0);
  const list = include === 'specifiedFields' ? 'fieldsToInclude' : 'fieldsToExclude';
  const fields = commaList(await context.parameter(list, 0, ''));
  const name = String((await context.parameter('destinationFieldName', 0)) || 'data');
  const rows = items.map((item) => includedFields(item.json, include, fields));
  return { [name]: include === 'allFields' ? rows : rows.filter((row) => Object.keys(row).length > 0) };
}

async function aggregateFields(
  context: NodeContext,
  items: Item[],
  options: JsonObject,
): Promise<JsonObject> {
  const fields =
    (await context.parameter<AggregatedField[]>('fieldsToAggregate.fieldToAggregate', 0, [])) ?? [];
  if (fields.every(({ fieldToAggregate }) => !fieldToAggregate)) {
    throw new NodeError('No fields specified', { description: 'Please add a field to aggregate' });
  }
  const dots = options.disableDotNotation !== true;
  const json: JsonObject = {};
  for (const { fieldToAggregate: field, renameField, outputFieldName } of fields) {
    if (!field) continue;
    const target = renameField && outputFieldName ? outputFieldName : dots ? splitPath(field).at(-1)! : field;
    if (Object.hasOwn(json, target)) {
      throw new NodeError(`The '${target}' output field is used more than once`, {
        description: 'Please make sure each output field name is unique',
      });
    }
    const values = valuesOf(
      items.map((item) => readField(item.json, field, dots)),
      options,
    );
    if (!dots || (renameField && outputFieldName)) json[target] = values;
    else setPath(json, target, values);
  }
  return json;
}

function valuesOf(fieldValues: unknown[], { keepMissing, mergeLists }: JsonObject): unknown[] {
  return fieldValues.flatMap((value) => {
    if (Array.isArray(value) && mergeLists === true) {
      return keepMissing === true ? value : value.filter((element) => element !== null);
    }
    if (value === undefined || value === null) return keepMissing === true ? [null] : [];
    // In a list of its own: `flatMap` takes one level of lists away.
    return [value];
  });
}

function includedFields(json: JsonObject, include: unknown, fields: string[]): JsonObject {
  if (include === 'specifiedFields') {
    const row: JsonObject = {};
    for (const field of fields) {
      const value = getPath(json, field);
      if (value !== undefined) row[field] = value;
    }
    return row;
  }
  return include === 'allFieldsExcept' ? omitFields(json, fields, true) : json;
}

/** The files of all items. Names that repeat get a number. */
function allFiles(items: Item[], onlyUnique: boolean): Record<string, Binary> {
  const files: Record<string, Binary> = {};
  const seen = new Set<string>();
  for (const { binary } of items) {
    for (const [name, file] of Object.entries(binary ?? {})) {
      const identity = `${file.mimeType}\n${file.fileName}\n${file.fileSize}\n${file.fileExtension}`;
      if (onlyUnique && seen.has(identity)) continue;
      seen.add(identity);
      let key = name;
      for (let number = 1; Object.hasOwn(files, key); number++) key = `${name}_${number}`;
      files[key] = file;
    }
  }
  return files;
}
