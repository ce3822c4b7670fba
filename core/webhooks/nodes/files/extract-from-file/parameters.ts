import type { Parameter } from '#core/webhooks/workflow/node-type.ts';

const TEXTS = ['fromJson', 'text', 'xml', 'fromIcs'];
const SHEETS = ['xlsx', 'xls', 'ods'];
const on = (...operations: string[]) => ({ '/operation': operations });

export const extractParameters: Parameter[] = [
  {
    name: 'operation',
    label: 'Operation',
    type: 'options',
    default: 'csv',
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
  },
  {
    name: 'binaryPropertyName',
    label: 'Input Binary Field',
    type: 'string',
    default: 'data',
    required: true,
  },
  {
    name: 'destinationKey',
    label: 'Destination Output Field',
    type: 'string',
    default: 'data',
    required: true,
    show: { operation: [...TEXTS, 'binaryToPropery'] },
  },
  {
    name: 'options',
    label: 'Options',
    type: 'collection',
    default: {},
    fields: [
      { name: 'delimiter', label: 'Delimiter', type: 'string', default: ',', show: on('csv') },
      {
        name: 'enableBOM',
        label: 'Exclude Byte Order Mark (BOM)',
        type: 'boolean',
        default: false,
        show: on('csv'),
      },
      { name: 'encoding', label: 'Encoding', type: 'string', default: 'utf8', show: on('csv', ...TEXTS) },
      { name: 'fromLine', label: 'Starting Line', type: 'number', default: 0, minimum: 0, show: on('csv') },
      {
        name: 'headerRow',
        label: 'Header Row',
        type: 'boolean',
        default: true,
        show: on('csv', 'html', 'rtf', ...SHEETS),
      },
      {
        name: 'includeEmptyCells',
        label: 'Include Empty Cells',
        type: 'boolean',
        default: false,
        show: on('csv', 'html', 'rtf', ...SHEETS),
      },
      {
        name: 'keepSource',
        label: 'Keep Source',
        type: 'options',
        default: 'json',
        options: [
          { value: 'json', label: 'JSON' },
          { value: 'binary', label: 'Binary' },
          { value: 'both', label: 'Both' },
        ],
        show: on(...TEXTS, 'pdf', 'binaryToPropery'),
      },
      {
        name: 'joinPages',
        label: 'Join Pages',
        type: 'boolean',
        default: true,
        show: on('pdf'),
        description: 'One text instead of one for each page.',
      },
      {
        name: 'maxPages',
        label: 'Max Pages',
        type: 'number',
        default: 0,
        minimum: 0,
        show: on('pdf'),
        description: '0 reads all.',
      },
      { name: 'password', label: 'Password', type: 'string', default: '', show: on('pdf') },
      {
        name: 'maxRowCount',
        label: 'Max Number of Rows to Load',
        type: 'number',
        default: -1,
        show: on('csv'),
      },
      { name: 'sheetName', label: 'Sheet Name', type: 'string', default: '', show: on(...SHEETS) },
      {
        name: 'skipRecordsWithErrors',
        label: 'Skip Records with Errors',
        type: 'boolean',
        default: false,
        show: on('csv'),
      },
      { name: 'stripBOM', label: 'Strip BOM', type: 'boolean', default: true, show: on(...TEXTS) },
    ],
  },
];
