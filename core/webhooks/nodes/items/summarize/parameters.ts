import type { Parameter } from '#core/webhooks/workflow/node-type.ts';

const kinds = {
  append: 'Append',
  average: 'Average',
  concatenate: 'Concatenate',
  count: 'Count',
  countUnique: 'Count Unique',
  max: 'Max',
  min: 'Min',
  sum: 'Sum',
};

export const summarizeParameters: Parameter[] = [
  {
    name: 'fieldsToSummarize',
    label: 'Fields to Summarize',
    type: 'groups',
    multiple: true,
    default: { values: [{ aggregation: 'count', field: '' }] },
    groups: [
      {
        name: 'values',
        label: 'Field',
        fields: [
          {
            name: 'aggregation',
            label: 'Aggregation',
            type: 'options',
            default: 'count',
            options: Object.entries(kinds).map(([value, label]) => ({ value, label })),
          },
          { name: 'field', label: 'Field', type: 'string', default: '', required: true },
          {
            name: 'includeEmpty',
            label: 'Include Empty Values',
            type: 'boolean',
            default: false,
            show: { aggregation: ['append', 'concatenate', 'count', 'countUnique'] },
          },
          {
            name: 'separateBy',
            label: 'Separator',
            type: 'options',
            default: ',',
            show: { aggregation: ['concatenate'] },
            options: [
              { value: ',', label: 'Comma' },
              { value: ', ', label: 'Comma and Space' },
              { value: '\n', label: 'New Line' },
              { value: '', label: 'None' },
              { value: ' ', label: 'Space' },
              { value: 'other', label: 'Other' },
            ],
          },
          {
            name: 'customSeparator',
            label: 'Custom Separator',
            type: 'string',
            default: '',
            show: { aggregation: ['concatenate'], separateBy: ['other'] },
          },
        ],
      },
    ],
  },
  {
    name: 'fieldsToSplitBy',
    label: 'Fields to Split By',
    type: 'string',
    default: '',
    placeholder: 'country, city',
    description: 'One result for each different value of these fields.',
  },
  {
    name: 'options',
    label: 'Options',
    type: 'collection',
    default: {},
    fields: [
      {
        name: 'continueIfFieldNotFound',
        label: 'Continue if Field Not Found',
        type: 'boolean',
        default: false,
      },
      { name: 'disableDotNotation', label: 'Disable Dot Notation', type: 'boolean', default: false },
      {
        name: 'outputFormat',
        label: 'Output Format',
        type: 'options',
        default: 'separateItems',
        options: [
          { value: 'separateItems', label: 'Each Split in a Separate Item' },
          { value: 'singleItem', label: 'All Splits in a Single Item' },
        ],
      },
      {
        name: 'skipEmptySplitFields',
        label: 'Ignore Items Without Valid Fields to Group By',
        type: 'boolean',
        default: false,
      },
    ],
  },
];
