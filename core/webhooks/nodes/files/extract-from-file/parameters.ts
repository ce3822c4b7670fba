import type { Parameter } from '#core/workflow-format';
import { choice, flag, number, options, text } from '../../shared/parameters.ts';

const TEXTS = ['fromJson', 'text', 'xml', 'fromIcs'];
const SHEETS = ['xlsx', 'xls', 'ods'];
const on = (...operations: string[]) => ({ '/operation': operations });

export const extractParameters: Parameter[] = [
  choice('operation', 'Operation', 'csv', {
    literal: true,
    options: {
      csv: 'Extract From CSV',
      html: 'Extract From HTML',
      fromJson: 'Extract From JSON',
      fromIcs: 'Extract From ICS',
      text: 'Extract From Text File',
      xml: 'Extract From XML',
      ods: 'Extract From ODS',
      pdf: 'Extract From PDF',
      rtf: 'Extract From RTF',
      xls: 'Extract From XLS',
      xlsx: 'Extract From XLSX',
      // The misspelling is n8n's: stored workflows have it.
      binaryToPropery: 'Move File to Base64 String',
    },
  }),
  text('binaryPropertyName', 'Input Binary Field', { default: 'data', required: true }),
  text('destinationKey', 'Destination Output Field', {
    default: 'data',
    required: true,
    show: { operation: [...TEXTS, 'binaryToPropery'] },
  }),
  options({
    fields: [
      text('delimiter', 'Delimiter', { default: ',', show: on('csv') }),
      flag('enableBOM', 'Exclude Byte Order Mark (BOM)', { show: on('csv') }),
      text('encoding', 'Encoding', { default: 'utf8', show: on('csv', ...TEXTS) }),
      number('fromLine', 'Starting Line', 0, { minimum: 0, show: on('csv') }),
      flag('headerRow', 'Header Row', { default: true, show: on('csv', 'html', 'rtf', ...SHEETS) }),
      flag('includeEmptyCells', 'Include Empty Cells', { show: on('csv', 'html', 'rtf', ...SHEETS) }),
      choice('keepSource', 'Keep Source', 'json', {
        options: { json: 'JSON', binary: 'Binary', both: 'Both' },
        show: on(...TEXTS, 'pdf', 'binaryToPropery'),
      }),
      flag('joinPages', 'Join Pages', {
        default: true,
        show: on('pdf'),
        description: 'One text instead of one for each page.',
      }),
      number('maxPages', 'Max Pages', 0, { minimum: 0, show: on('pdf'), description: '0 reads all.' }),
      text('password', 'Password', { show: on('pdf') }),
      number('maxRowCount', 'Max Number of Rows to Load', -1, { show: on('csv') }),
      text('sheetName', 'Sheet Name', { show: on(...SHEETS) }),
      flag('skipRecordsWithErrors', 'Skip Records with Errors', { show: on('csv') }),
      flag('stripBOM', 'Strip BOM', { default: true, show: on(...TEXTS) }),
    ],
  }),
];
