/** One item out of many: fields gathered into lists, or whole items into one list. */
import { NodeError } from '../../workflow/node-error.ts';
import type { NodeType } from '../../workflow/node-type.ts';
import { deletePath, getPath, setPath, splitPath } from '../../workflow/paths.ts';
import type { Binary, Item, JsonObject } from '../../workflow/types.ts';
import { commaList } from '../shared/comma-list.ts';

interface Field {
  fieldToAggregate?: string;
  renameField?: boolean;
  outputFieldName?: string;
}

export const aggregate: NodeType = {
  name: 'n8n-nodes-base.aggregate',
  label: 'Aggregate',
  description: 'Gathers fields or whole items into one item.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    {
      name: 'aggregate',
      label: 'Aggregate',
      type: 'options',
      default: 'aggregateIndividualFields',
      options: [
        { value: 'aggregateIndividualFields', label: 'Individual Fields' },
        { value: 'aggregateAllItemData', label: 'All Item Data (Into a Single List)' },
      ],
    },
    {
      name: 'fieldsToAggregate',
      label: 'Fields To Aggregate',
      type: 'groups',
      multiple: true,
      default: { fieldToAggregate: [{ fieldToAggregate: '', renameField: false }] },
      show: { aggregate: ['aggregateIndividualFields'] },
      groups: [
        {
          name: 'fieldToAggregate',
          label: 'Field',
          fields: [
            { name: 'fieldToAggregate', label: 'Input Field Name', type: 'string', default: '' },
            { name: 'renameField', label: 'Rename Field', type: 'boolean', default: false },
            {
              name: 'outputFieldName',
              label: 'Output Field Name',
              type: 'string',
              default: '',
              show: { renameField: [true] },
            },
          ],
        },
      ],
    },
    {
      name: 'destinationFieldName',
      label: 'Put Output in Field',
      type: 'string',
      default: 'data',
      show: { aggregate: ['aggregateAllItemData'] },
    },
    {
      name: 'include',
      label: 'Include',
      type: 'options',
      default: 'allFields',
      show: { aggregate: ['aggregateAllItemData'] },
      options: [
        { value: 'allFields', label: 'All Fields' },
        { value: 'specifiedFields', label: 'Specified Fields' },
        { value: 'allFieldsExcept', label: 'All Fields Except' },
      ],
    },
    {
      name: 'fieldsToInclude',
      label: 'Fields To Include',
      type: 'string',
      default: '',
      show: { aggregate: ['aggregateAllItemData'], include: ['specifiedFields'] },
    },
    {
      name: 'fieldsToExclude',
      label: 'Fields To Exclude',
      type: 'string',
      default: '',
      show: { aggregate: ['aggregateAllItemData'], include: ['allFieldsExcept'] },
    },
    {
      name: 'options',
      label: 'Options',
      type: 'collection',
      default: {},
      fields: [
        { name: 'disableDotNotation', label: 'Disable Dot Notation', type: 'boolean', default: false },
        { name: 'mergeLists', label: 'Merge Lists', type: 'boolean', default: false },
        { name: 'includeBinaries', label: 'Include Binaries', type: 'boolean', default: false },
        { name: 'keepOnlyUnique', label: 'Keep Only Unique Binaries', type: 'boolean', default: false },
        { name: 'keepMissing', label: 'Keep Missing And Null Values', type: 'boolean', default: false },
      ],
    },
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
