import type { Parameter } from '#core/webhooks/workflow/node-type.ts';

const seen = { operation: ['removeItemsSeenInPreviousExecutions'] };

/** Of comparing within one input: the older Item Lists has them too. */
export const compareParameters: Parameter[] = [
  {
    name: 'compare',
    label: 'Compare',
    type: 'options',
    default: 'allFields',
    options: [
      { value: 'allFields', label: 'All Fields' },
      { value: 'allFieldsExcept', label: 'All Fields Except' },
      { value: 'selectedFields', label: 'Selected Fields' },
    ],
  },
  {
    name: 'fieldsToExclude',
    label: 'Fields To Exclude',
    type: 'string',
    default: '',
    show: { compare: ['allFieldsExcept'] },
  },
  {
    name: 'fieldsToCompare',
    label: 'Fields To Compare',
    type: 'string',
    default: '',
    show: { compare: ['selectedFields'] },
  },
];

const value = (name: string, label: string, logic: string): Parameter => ({
  name,
  label,
  type: 'string',
  default: '',
  required: true,
  versions: { from: 2 },
  show: { ...seen, logic: [logic] },
});

export const removeDuplicatesParameters: Parameter[] = [
  {
    name: 'operation',
    label: 'Operation',
    type: 'options',
    default: 'removeDuplicateInputItems',
    literal: true,
    versions: { from: 2 },
    options: [
      { value: 'removeDuplicateInputItems', label: 'Remove Items Repeated Within Current Input' },
      {
        value: 'removeItemsSeenInPreviousExecutions',
        label: 'Remove Items Processed in Previous Executions',
      },
      { value: 'clearDeduplicationHistory', label: 'Clear Deduplication History' },
    ],
  },
  ...compareParameters.map((one): Parameter => ({ ...one, versions: { to: 1.1 } })),
  ...compareParameters.map(
    (one): Parameter => ({
      ...one,
      versions: { from: 2 },
      show: { operation: ['removeDuplicateInputItems'], ...one.show },
    }),
  ),
  {
    name: 'logic',
    label: 'Keep Items Where',
    type: 'options',
    default: 'removeItemsWithAlreadySeenKeyValues',
    versions: { from: 2 },
    show: seen,
    options: [
      { value: 'removeItemsWithAlreadySeenKeyValues', label: 'Value Is New' },
      {
        value: 'removeItemsUpToStoredIncrementalKey',
        label: 'Value Is Higher than Any Previous Value',
      },
      { value: 'removeItemsUpToStoredDate', label: 'Value Is a Date Later than Any Previous Date' },
    ],
  },
  value('dedupeValue', 'Value to Dedupe On', 'removeItemsWithAlreadySeenKeyValues'),
  value('incrementalDedupeValue', 'Value to Dedupe On', 'removeItemsUpToStoredIncrementalKey'),
  value('dateDedupeValue', 'Value to Dedupe On', 'removeItemsUpToStoredDate'),
  {
    name: 'mode',
    label: 'Mode',
    type: 'options',
    default: 'cleanDatabase',
    versions: { from: 2 },
    show: { operation: ['clearDeduplicationHistory'] },
    options: [{ value: 'cleanDatabase', label: 'Clean Database' }],
  },
  {
    name: 'options',
    label: 'Options',
    type: 'collection',
    default: {},
    fields: [
      { name: 'disableDotNotation', label: 'Disable Dot Notation', type: 'boolean', default: false },
      { name: 'removeOtherFields', label: 'Remove Other Fields', type: 'boolean', default: false },
      {
        name: 'scope',
        label: 'Scope',
        type: 'options',
        default: 'node',
        versions: { from: 2 },
        options: [
          { value: 'workflow', label: 'Workflow' },
          { value: 'node', label: 'Node' },
        ],
      },
      {
        name: 'historySize',
        label: 'History Size',
        type: 'number',
        default: 10000,
        minimum: 1,
        versions: { from: 2 },
        description: 'Values that are remembered.',
      },
    ],
  },
];
