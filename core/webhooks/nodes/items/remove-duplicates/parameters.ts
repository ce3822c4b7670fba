import type { Parameter } from '#core/workflow-format';
import { disableDotNotation } from '../../shared/fields.ts';
import { choice, flag, number, options, text } from '../../shared/parameters.ts';

const seenEarlier = { operation: ['removeItemsSeenInPreviousExecutions'] };

/** Which fields are compared within one input. The legacy Item Lists node has the same. */
export const compareParameters: Parameter[] = [
  choice('compare', 'Compare', 'allFields', {
    options: {
      allFields: 'All Fields',
      allFieldsExcept: 'All Fields Except',
      selectedFields: 'Selected Fields',
    },
  }),
  text('fieldsToExclude', 'Fields To Exclude', { show: { compare: ['allFieldsExcept'] } }),
  text('fieldsToCompare', 'Fields To Compare', { show: { compare: ['selectedFields'] } }),
];

/** The options of comparing within one input. */
export const compareOptions: Parameter[] = [
  disableDotNotation,
  flag('removeOtherFields', 'Remove Other Fields'),
];

const comparedValue = (name: string, logic: string): Parameter =>
  text(name, 'Value to Dedupe On', {
    required: true,
    versions: { from: 2 },
    show: { ...seenEarlier, logic: [logic] },
  });

export const removeDuplicatesParameters: Parameter[] = [
  choice('operation', 'Operation', 'removeDuplicateInputItems', {
    literal: true,
    versions: { from: 2 },
    options: {
      removeDuplicateInputItems: 'Remove Items Repeated Within Current Input',
      removeItemsSeenInPreviousExecutions: 'Remove Items Processed in Previous Executions',
      clearDeduplicationHistory: 'Clear Deduplication History',
    },
  }),
  ...compareParameters.map((parameter): Parameter => ({ ...parameter, versions: { to: 1.1 } })),
  ...compareParameters.map(
    (parameter): Parameter => ({
      ...parameter,
      versions: { from: 2 },
      show: { operation: ['removeDuplicateInputItems'], ...parameter.show },
    }),
  ),
  choice('logic', 'Keep Items Where', 'removeItemsWithAlreadySeenKeyValues', {
    versions: { from: 2 },
    show: seenEarlier,
    options: {
      removeItemsWithAlreadySeenKeyValues: 'Value Is New',
      removeItemsUpToStoredIncrementalKey: 'Value Is Higher than Any Previous Value',
      removeItemsUpToStoredDate: 'Value Is a Date Later than Any Previous Date',
    },
  }),
  comparedValue('dedupeValue', 'removeItemsWithAlreadySeenKeyValues'),
  comparedValue('incrementalDedupeValue', 'removeItemsUpToStoredIncrementalKey'),
  comparedValue('dateDedupeValue', 'removeItemsUpToStoredDate'),
  choice('mode', 'Mode', 'cleanDatabase', {
    versions: { from: 2 },
    show: { operation: ['clearDeduplicationHistory'] },
    options: { cleanDatabase: 'Clean Database' },
  }),
  options({
    fields: [
      ...compareOptions,
      choice('scope', 'Scope', 'node', {
        versions: { from: 2 },
        options: { workflow: 'Workflow', node: 'Node' },
      }),
      number('historySize', 'History Size', 10000, {
        minimum: 1,
        versions: { from: 2 },
        description: 'How many values are remembered.',
      }),
    ],
  }),
];
