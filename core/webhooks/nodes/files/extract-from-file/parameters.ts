import type { Parameter } from '#core/workflow-format';
import { choice, flag, number, options, text } from '../../shared/parameters.ts';

const TEXTS = ['fromJson', 'text', 'xml', 'fromIcs'];
const SHEETS = ['xlsx', 'xls', 'ods'];
const on = (...operations: string[]) => ({ '/operation': operations });

export const extractParameters: Parameter[] = [
  choice('operation', 'Operation', 'csv', {
    literal: true,
    options: [
      { value: 'csv', label: 'Extract From CSV' },
      { value: 'html', label: 'Extract From HTML' },
      { value: 'fromJson', label: 'Extract From JSON' },
      { value: 'fromIcs', label: 'Extract From ICS' },
      { value: 'text', label: 'Extract From Text File' },
      { value: 'xml', label: 'Extract From XML' },
      { value: 'ods', label: 'Extract From ODS' },
      { value: 'pdf', label: 'Extract From PDF' },
      { value: 'rtf', label: 'Extract From RTF' },
      { value: 'xls', label: 'Extract From XLS' },
      { value: 'xlsx', label: 'Extract From XLSX' },
      // Sic: so it is stored.
      { value: 'binaryToPropery', label: 'Move File to Base64 String' },
    ],
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
