import type { Parameter } from '#core/workflow-format';
import { choice, collection, date, flag, options, text } from '../../shared/parameters.ts';

const SHEETS = ['xlsx', 'xls', 'ods'];
const TABLES = ['csv', 'html', 'rtf', ...SHEETS];
const on = (...operations: string[]) => ({ '/operation': operations });

export const ENCODINGS: Parameter = choice('encoding', 'Encoding', 'utf8', {
  options: ['utf8', 'utf16le', 'latin1', 'ascii'],
});

export const convertParameters: Parameter[] = [
  choice('operation', 'Operation', 'csv', {
    literal: true,
    options: {
      csv: 'Convert to CSV',
      html: 'Convert to HTML',
      iCal: 'Convert to ICS',
      toJson: 'Convert to JSON',
      toText: 'Convert to Text File',
      toBinary: 'Move Base64 String to File',
      ods: 'Convert to ODS',
      rtf: 'Convert to RTF',
      xls: 'Convert to XLS',
      xlsx: 'Convert to XLSX',
    },
  }),
  text('sourceProperty', 'Input Field', {
    required: true,
    show: { operation: ['toText', 'toBinary'] },
    description: 'The field with the file’s content. Dots lead into objects.',
  }),
  choice('mode', 'Mode', 'once', {
    show: { operation: ['toJson'] },
    options: { once: 'All Items to One File', each: 'Each Item to Separate File' },
  }),
  text('title', 'Event Title', { show: { operation: ['iCal'] } }),
  date('start', 'Start', { required: true, show: { operation: ['iCal'] } }),
  date('end', 'End', { required: true, show: { operation: ['iCal'] } }),
  flag('allDay', 'All Day', { show: { operation: ['iCal'] } }),
  text('binaryPropertyName', 'Put Output File in Field', { default: 'data', required: true }),
  options({
    hide: { operation: ['iCal'] },
    fields: [
      flag('addBOM', 'Add Byte Order Mark', { show: on('toJson', 'toText') }),
      flag('dataIsBase64', 'Data Is Base64', { default: true, show: on('toBinary') }),
      text('delimiter', 'Delimiter', { default: ',', show: on('csv') }),
      { ...ENCODINGS, show: on('toJson', 'toText', 'toBinary') },
      text('fileName', 'File Name', { placeholder: 'report.csv' }),
      flag('format', 'Format', { show: on('toJson'), description: 'Adds line breaks and indentation.' }),
      flag('headerRow', 'Header Row', { default: true, show: on(...TABLES) }),
      text('mimeType', 'MIME Type', { show: on('toBinary') }),
      text('sheetName', 'Sheet Name', { default: 'Sheet', show: on(...SHEETS) }),
    ],
  }),
  collection('additionalFields', 'Additional Fields', {
    show: { operation: ['iCal'] },
    fields: [
      text('calName', 'Calendar Name'),
      text('description', 'Description', { rows: 3 }),
      text('fileName', 'File Name'),
      text('location', 'Location'),
      text('recurrenceRule', 'Recurrence Rule', { placeholder: 'FREQ=DAILY;COUNT=3' }),
      choice('status', 'Status', 'CONFIRMED', { options: ['CONFIRMED', 'CANCELLED', 'TENTATIVE'] }),
      text('uid', 'UID'),
      text('url', 'URL'),
    ],
  }),
];
