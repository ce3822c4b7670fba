import type { Parameter } from '#core/workflow-format';
import {
  choice,
  fixedCollectionList,
  flag,
  group,
  jsonText,
  number,
  options,
  text,
} from '../../shared/parameters.ts';

const values = (type: 'boolean' | 'number' | 'string', value: unknown) =>
  group(type, type, [
    text('name', 'Name', { default: 'propertyName' }),
    { name: 'value', label: 'Value', type, default: value },
  ]);

const types = ['string', 'number', 'boolean', 'array', 'object'];
const fieldNames = 'Names of the fields, separated by commas.';

export const setParameters: Parameter[] = [
  flag('keepOnlySet', 'Keep Only Set', { versions: { to: 2 } }),
  fixedCollectionList('values', 'Values to Set', {
    versions: { to: 2 },
    groups: [values('boolean', false), values('number', 0), values('string', '')],
  }),
  choice('mode', 'Mode', 'manual', {
    literal: true,
    versions: { from: 3 },
    options: { manual: 'Manual Mapping', raw: 'JSON' },
  }),
  flag('duplicateItem', 'Duplicate Item', { literal: true, versions: { from: 3 } }),
  number('duplicateCount', 'Duplicate Item Count', 0, {
    minimum: 0,
    versions: { from: 3 },
    show: { duplicateItem: [true] },
    description: 'Copies of each item. Only in executions from the editor.',
  }),
  jsonText('jsonOutput', 'JSON Output', {
    default: '{\n  "my_field_1": "value",\n  "my_field_2": 1\n}\n',
    rows: 5,
    versions: { from: 3 },
    show: { mode: ['raw'] },
  }),
  fixedCollectionList('fields', 'Fields to Set', {
    versions: { from: 3, to: 3.2 },
    show: { mode: ['manual'] },
    groups: [
      group('values', 'Values', [
        text('name', 'Name'),
        choice('type', 'Type', 'stringValue', {
          options: types.map((type) => ({ value: `${type}Value`, label: type })),
        }),
        ...types.map(
          (type): Parameter => ({
            name: `${type}Value`,
            label: 'Value',
            type: type === 'number' ? 'number' : type === 'boolean' ? 'boolean' : 'string',
            default: '',
            show: { type: [`${type}Value`] },
          }),
        ),
      ]),
    ],
  }),
  {
    name: 'assignments',
    label: 'Fields to Set',
    type: 'assignments',
    default: {},
    versions: { from: 3.3 },
    show: { mode: ['manual'] },
  },
  flag('includeOtherFields', 'Include Other Input Fields', { versions: { from: 3.3 } }),
  choice('include', 'Include', 'all', {
    versions: { from: 3, to: 3.2 },
    options: {
      all: 'All Input Fields',
      none: 'No Input Fields',
      selected: 'Selected Input Fields',
      except: 'All Input Fields Except',
    },
  }),
  choice('include', 'Input Fields to Include', 'all', {
    versions: { from: 3.3 },
    show: { includeOtherFields: [true] },
    options: { all: 'All', selected: 'Selected', except: 'All Except' },
  }),
  text('includeFields', 'Fields to Include', {
    versions: { from: 3 },
    show: { include: ['selected'] },
    description: fieldNames,
  }),
  text('excludeFields', 'Fields to Exclude', {
    versions: { from: 3 },
    show: { include: ['except'] },
    description: fieldNames,
  }),
  options({
    fields: [
      flag('stripBinary', 'Strip Binary Data', { default: true, versions: { from: 3.4 } }),
      flag('includeBinary', 'Include Binary File', { default: true, versions: { from: 3, to: 3.3 } }),
      flag('ignoreConversionErrors', 'Ignore Type Conversion Errors', { versions: { from: 3 } }),
      flag('dotNotation', 'Support Dot Notation', { default: true }),
    ],
  }),
];
