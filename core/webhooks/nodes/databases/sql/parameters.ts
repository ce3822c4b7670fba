/** The parameters that the nodes of SQL databases share. */
import type { Parameter } from '#core/workflow-format';
import {
  choice,
  fixedCollectionList,
  flag,
  group,
  jsonText,
  multiChoice,
  number,
  options,
  text,
} from '../../shared/parameters.ts';

export const NEW = { from: 2 };
const OLD = { to: 1 };

const locator = (name: string, label: string, value: string, extras: Partial<Parameter>): Parameter => ({
  name,
  label,
  type: 'locator',
  default: { __rl: true, mode: 'list', value },
  ...extras,
});

const onTable = { operation: ['deleteTable', 'insert', 'upsert', 'select', 'update'] };
const writes = { operation: ['insert', 'update', 'upsert'] };
const matches = { operation: ['update', 'upsert'] };
const reads = { operation: ['select'] };

export const newParameters = ({ hasSchema }: { hasSchema: boolean }): Parameter[] => [
  choice('resource', 'Resource', 'database', {
    literal: true,
    versions: NEW,
    options: { database: 'Database' },
  }),
  choice('operation', 'Operation', 'insert', {
    literal: true,
    versions: NEW,
    options: {
      deleteTable: 'Delete',
      executeQuery: 'Execute Query',
      insert: 'Insert',
      upsert: 'Insert or Update',
      select: 'Select',
      update: 'Update',
    },
  }),
  ...(hasSchema ? [locator('schema', 'Schema', 'public', { versions: NEW, show: onTable })] : []),
  locator('table', 'Table', '', { versions: NEW, show: onTable, required: true }),
  text('query', 'Query', { versions: NEW, rows: 5, required: true, show: { operation: ['executeQuery'] } }),
  choice('deleteCommand', 'Command', 'truncate', {
    versions: NEW,
    show: { operation: ['deleteTable'] },
    options: { truncate: 'Truncate', delete: 'Delete', drop: 'Drop' },
  }),
  flag('restartSequences', 'Restart Sequences', {
    versions: NEW,
    show: { operation: ['deleteTable'], deleteCommand: ['truncate'] },
  }),
  choice('dataMode', 'Data Mode', 'autoMapInputData', {
    versions: { from: 2, to: 2.1 },
    show: writes,
    options: { autoMapInputData: 'Auto-Map Input Data to Columns', defineBelow: 'Map Each Column Manually' },
  }),
  locator('columnToMatchOn', 'Column to Match On', '', { versions: { from: 2, to: 2.1 }, show: matches }),
  text('valueToMatchOn', 'Value of Column to Match On', { versions: { from: 2, to: 2.1 }, show: matches }),
  fixedCollectionList('valuesToSend', 'Values to Send', {
    versions: { from: 2, to: 2.1 },
    show: writes,
    groups: [group('values', 'Values', [text('column', 'Column'), text('value', 'Value')])],
  }),
  jsonText('columns', 'Columns', {
    versions: { from: 2.2 },
    show: writes,
    default: { mappingMode: 'defineBelow', value: null, matchingColumns: [] },
  }),
  flag('returnAll', 'Return All', { versions: NEW, show: reads }),
  number('limit', 'Limit', 50, { versions: NEW, show: { ...reads, returnAll: [false] } }),
  fixedCollectionList('where', 'Select Rows', {
    versions: NEW,
    show: { operation: ['select', 'deleteTable'] },
    groups: [
      group('values', 'Values', [
        text('column', 'Column'),
        choice('condition', 'Operator', 'equal', {
          options: ['equal', '!=', 'LIKE', '>', '<', '>=', '<=', 'IS NULL', 'IS NOT NULL'],
        }),
        text('value', 'Value'),
      ]),
    ],
  }),
  choice('combineConditions', 'Combine Conditions', 'AND', {
    versions: NEW,
    show: { operation: ['select', 'deleteTable'] },
    options: ['AND', 'OR'],
  }),
  fixedCollectionList('sort', 'Sort', {
    versions: NEW,
    show: reads,
    groups: [
      group('values', 'Values', [
        text('column', 'Column'),
        choice('direction', 'Direction', 'ASC', { options: ['ASC', 'DESC'] }),
      ]),
    ],
  }),
  options({
    versions: NEW,
    fields: [
      flag('cascade', 'Cascade'),
      number('connectionTimeout', 'Connection Timeout', 30),
      flag('decimalNumbers', 'Output Decimals as Numbers'),
      flag('detailedOutput', 'Output Query Execution Details'),
      choice('largeNumbersOutput', 'Output Large-Format Numbers As', 'text', {
        options: { numbers: 'Numbers', text: 'Text' },
      }),
      multiChoice('outputColumns', 'Output Columns', ['*'], { options: ['*'] }),
      choice('priority', 'Priority', 'LOW_PRIORITY', { options: ['LOW_PRIORITY', 'HIGH_PRIORITY'] }),
      choice('queryBatching', 'Query Batching', 'single', {
        literal: true,
        options: { single: 'Single Query', independently: 'Independently', transaction: 'Transaction' },
      }),
      text('queryReplacement', 'Query Parameters', { placeholder: 'value1, value2' }),
      flag('replaceEmptyStrings', 'Replace Empty Strings With NULL'),
      flag('selectDistinct', 'Select Distinct'),
      flag('skipOnConflict', 'Skip on Conflict'),
    ],
  }),
];

/** The parameters of version 1. */
export const oldParameters = ({ hasSchema }: { hasSchema: boolean }): Parameter[] => [
  choice('operation', 'Operation', 'insert', {
    literal: true,
    versions: OLD,
    options: { executeQuery: 'Execute Query', insert: 'Insert', update: 'Update' },
  }),
  text('query', 'Query', { versions: OLD, rows: 5, required: true, show: { operation: ['executeQuery'] } }),
  ...(hasSchema ? [text('schema', 'Schema', { default: 'public', versions: OLD })] : []),
  text('table', 'Table', { versions: OLD, required: true, show: { operation: ['insert', 'update'] } }),
  text('updateKey', 'Update Key', { default: 'id', versions: OLD, show: { operation: ['update'] } }),
  text('columns', 'Columns', { versions: OLD, show: { operation: ['insert', 'update'] } }),
  ...(hasSchema
    ? [
        text('returnFields', 'Return Fields', {
          default: '*',
          versions: OLD,
          show: { operation: ['insert', 'update'] },
        }),
      ]
    : []),
];
