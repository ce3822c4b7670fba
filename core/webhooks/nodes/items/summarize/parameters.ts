import type { Parameter } from '#core/workflow-format';
import { disableDotNotation } from '../../shared/fields.ts';
import { choice, fixedCollectionList, flag, group, options, text } from '../../shared/parameters.ts';

export const summarizeParameters: Parameter[] = [
  fixedCollectionList('fieldsToSummarize', 'Fields to Summarize', {
    default: { values: [{ aggregation: 'count', field: '' }] },
    groups: [
      group('values', 'Field', [
        choice('aggregation', 'Aggregation', 'count', {
          options: {
            append: 'Append',
            average: 'Average',
            concatenate: 'Concatenate',
            count: 'Count',
            countUnique: 'Count Unique',
            max: 'Max',
            min: 'Min',
            sum: 'Sum',
          },
        }),
        text('field', 'Field', { required: true }),
        flag('includeEmpty', 'Include Empty Values', {
          show: { aggregation: ['append', 'concatenate', 'count', 'countUnique'] },
        }),
        choice('separateBy', 'Separator', ',', {
          show: { aggregation: ['concatenate'] },
          options: {
            ',': 'Comma',
            ', ': 'Comma and Space',
            '\n': 'New Line',
            '': 'None',
            ' ': 'Space',
            other: 'Other',
          },
        }),
        text('customSeparator', 'Custom Separator', {
          show: { aggregation: ['concatenate'], separateBy: ['other'] },
        }),
      ]),
    ],
  }),
  text('fieldsToSplitBy', 'Fields to Split By', {
    placeholder: 'country, city',
    description: 'One result for each different value of these fields.',
  }),
  options({
    fields: [
      flag('continueIfFieldNotFound', 'Continue if Field Not Found'),
      disableDotNotation,
      choice('outputFormat', 'Output Format', 'separateItems', {
        options: {
          separateItems: 'Each Split in a Separate Item',
          singleItem: 'All Splits in a Single Item',
        },
      }),
      flag('skipEmptySplitFields', 'Ignore Items Without Valid Fields to Group By'),
    ],
  }),
];
