import type { Parameter } from '#core/workflow-format';
import { choice, flag, multiChoice, number, options, text } from '../../shared/parameters.ts';

const units = ['years', 'quarters', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds'];
const parts = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'];
const dateText = (name: string, label: string, operations: string[]): Parameter =>
  text(name, label, {
    required: true,
    show: { operation: operations },
    description: 'Text, or milliseconds since 1970.',
  });
const outputField = (name: string, operations: string[]): Parameter =>
  text('outputFieldName', 'Output Field Name', { default: name, show: { operation: operations } });

const parameters: Parameter[] = [
  choice('operation', 'Operation', 'getCurrentDate', {
    literal: true,
    options: {
      addToDate: 'Add to a Date',
      extractDate: 'Extract Part of a Date',
      formatDate: 'Format a Date',
      getCurrentDate: 'Get Current Date',
      getTimeBetweenDates: 'Get Time Between Dates',
      roundDate: 'Round a Date',
      subtractFromDate: 'Subtract From a Date',
    },
  }),
  flag('includeTime', 'Include Current Time', { default: true, show: { operation: ['getCurrentDate'] } }),
  dateText('magnitude', 'Date to Change', ['addToDate', 'subtractFromDate']),
  choice('timeUnit', 'Time Unit', 'days', {
    options: units,
    show: { operation: ['addToDate', 'subtractFromDate'] },
  }),
  number('duration', 'Duration', 0, { show: { operation: ['addToDate', 'subtractFromDate'] } }),
  dateText('date', 'Date', ['formatDate', 'roundDate', 'extractDate']),
  choice('format', 'Format', 'MM/dd/yyyy', {
    show: { operation: ['formatDate'] },
    options: [
      { value: 'custom', label: 'Custom Format' },
      'MM/dd/yyyy',
      'yyyy/MM/dd',
      'MMMM dd yyyy',
      'MM-dd-yyyy',
      'yyyy-MM-dd',
      { value: 'X', label: 'Unix Timestamp' },
      { value: 'x', label: 'Unix Ms Timestamp' },
    ],
  }),
  text('customFormat', 'Custom Format', {
    placeholder: 'yyyy-MM-dd HH:mm',
    show: { operation: ['formatDate'], format: ['custom'] },
    description: 'Tokens of Luxon.',
  }),
  choice('mode', 'Mode', 'roundDown', {
    show: { operation: ['roundDate'] },
    options: { roundDown: 'Round Down', roundUp: 'Round Up' },
  }),
  choice('toNearest', 'To Nearest', 'month', {
    options: parts,
    show: { operation: ['roundDate'], mode: ['roundDown'] },
  }),
  choice('to', 'To', 'month', {
    options: { month: 'End of Month' },
    show: { operation: ['roundDate'], mode: ['roundUp'] },
  }),
  choice('part', 'Part', 'month', { options: parts, show: { operation: ['extractDate'] } }),
  dateText('startDate', 'Start Date', ['getTimeBetweenDates']),
  dateText('endDate', 'End Date', ['getTimeBetweenDates']),
  multiChoice('units', 'Units', ['day'], {
    options: [...parts, 'millisecond'],
    show: { operation: ['getTimeBetweenDates'] },
  }),
  outputField('currentDate', ['getCurrentDate']),
  outputField('newDate', ['addToDate', 'subtractFromDate']),
  outputField('formattedDate', ['formatDate']),
  outputField('roundedDate', ['roundDate']),
  outputField('datePart', ['extractDate']),
  outputField('timeDifference', ['getTimeBetweenDates']),
  options({
    fields: [
      flag('includeInputFields', 'Include Input Fields'),
      text('timezone', 'Timezone', {
        show: { '/operation': ['getCurrentDate'] },
        description: 'IANA name. Empty: the workflow’s timezone.',
      }),
      flag('timezone', 'Use Workflow Timezone', { show: { '/operation': ['formatDate'] } }),
      text('fromFormat', 'From Date Format', {
        show: { '/operation': ['formatDate'] },
        description: 'The format of the date in tokens of Luxon, if it cannot be recognized.',
      }),
      flag('isoString', 'Output as ISO String', { show: { '/operation': ['getTimeBetweenDates'] } }),
    ],
  }),
];

/** Version 1 has others. */
export const dateTimeParameters: Parameter[] = parameters.map((parameter) => ({
  ...parameter,
  versions: { from: 2 },
}));
