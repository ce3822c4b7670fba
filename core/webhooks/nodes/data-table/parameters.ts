/** The parameters of the Data Table node. */
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
} from '../shared/parameters.ts';

const row = (...operation: string[]) => ({ resource: ['row'], operation });
const table = (...operation: string[]) => ({ resource: ['table'], operation });
const locator = (show: Parameter['show']): Parameter => ({
  name: 'dataTableId',
  label: 'Data Table',
  type: 'locator',
  default: { __rl: true, mode: 'name', value: '' },
  required: true,
  ...(show && { show }),
});

const filtered = ['get', 'deleteRows', 'update', 'upsert', 'rowExists', 'rowNotExists'];

export const parameters: Parameter[] = [
  choice('resource', 'Resource', 'row', { literal: true, options: { row: 'Row', table: 'Table' } }),
  choice('operation', 'Operation', 'insert', {
    literal: true,
    show: { resource: ['row'] },
    options: {
      deleteRows: 'Delete',
      get: 'Get',
      rowExists: 'If Row Exists',
      rowNotExists: 'If Row Does Not Exist',
      insert: 'Insert',
      update: 'Update',
      upsert: 'Upsert',
    },
  }),
  choice('operation', 'Operation', 'list', {
    literal: true,
    show: { resource: ['table'] },
    options: { clear: 'Clear', create: 'Create', delete: 'Delete', list: 'List', update: 'Update' },
  }),
  locator({ resource: ['row'] }),
  locator(table('clear', 'delete', 'update')),
  choice('matchType', 'Must Match', 'anyCondition', {
    show: row(...filtered),
    options: { anyCondition: 'Any Condition', allConditions: 'All Conditions' },
  }),
  fixedCollectionList('filters', 'Conditions', {
    show: row(...filtered),
    groups: [
      group('conditions', 'Condition', [
        text('keyName', 'Column', { default: 'id' }),
        choice('condition', 'Condition', 'eq', {
          options: {
            eq: 'Equals',
            neq: 'Not Equals',
            like: 'Contains (Case-Sensitive)',
            ilike: 'Contains (Case-Insensitive)',
            gt: 'Greater Than',
            gte: 'Greater Than or Equal',
            lt: 'Less Than',
            lte: 'Less Than or Equal',
            isEmpty: 'Is Empty',
            isNotEmpty: 'Is Not Empty',
            isTrue: 'Is True',
            isFalse: 'Is False',
          },
        }),
        text('keyValue', 'Value', {
          hide: { condition: ['isEmpty', 'isNotEmpty', 'isTrue', 'isFalse'] },
        }),
      ]),
    ],
  }),
  jsonText('columns', 'Columns', {
    show: row('insert', 'update', 'upsert'),
    default: { mappingMode: 'defineBelow', value: null },
    description:
      '`value` has the new values by column. `mappingMode: autoMapInputData` takes those of the item.',
  }),
  flag('returnAll', 'Return All', { show: row('get') }),
  number('limit', 'Limit', 50, { minimum: 1, show: { ...row('get'), returnAll: [false] } }),
  flag('orderBy', 'Order By', { show: row('get') }),
  text('orderByColumn', 'Order By Column', {
    default: 'createdAt',
    show: { ...row('get'), orderBy: [true] },
  }),
  choice('orderByDirection', 'Order By Direction', 'DESC', {
    show: { ...row('get'), orderBy: [true] },
    options: { ASC: 'Ascending', DESC: 'Descending' },
  }),
  options({ show: row('insert'), fields: [flag('optimizeBulk', 'Optimize Bulk')] }),
  options({
    show: row('deleteRows', 'update', 'upsert'),
    fields: [
      flag('dryRun', 'Dry Run', { description: 'Changes nothing, and returns the rows before and after.' }),
    ],
  }),
  text('tableName', 'Name', { required: true, show: table('create') }),
  fixedCollectionList('columns', 'Columns', {
    show: table('create'),
    groups: [
      group('column', 'Column', [
        text('name', 'Name'),
        choice('type', 'Type', 'string', {
          options: { boolean: 'Boolean', date: 'Date', number: 'Number', string: 'String' },
        }),
      ]),
    ],
  }),
  options({
    show: table('create'),
    fields: [flag('createIfNotExists', 'Reuse Existing Tables', { default: true })],
  }),
  text('newName', 'New Name', { required: true, show: table('update') }),
  flag('returnAll', 'Return All', { default: true, show: table('list') }),
  number('limit', 'Limit', 50, { minimum: 1, show: { ...table('list'), returnAll: [false] } }),
  options({
    show: table('list'),
    fields: [
      text('filterName', 'Filter by Name'),
      choice('sortField', 'Sort Field', 'name', {
        options: { createdAt: 'Created', name: 'Name', updatedAt: 'Updated' },
      }),
      choice('sortDirection', 'Sort Direction', 'asc', { options: { asc: 'Ascending', desc: 'Descending' } }),
    ],
  }),
];
