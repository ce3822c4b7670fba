import type { Parameter } from '#core/webhooks/workflow/node-type.ts';
import { GENERIC_TYPES } from './auth.ts';
import { httpRequestOptions } from './options.ts';

const listed = (values: string[]) => values.map((value) => ({ value, label: value }));

const pair: Parameter[] = [
  { name: 'name', label: 'Name', type: 'string', default: '' },
  { name: 'value', label: 'Value', type: 'string', default: '' },
];

const pairs = (name: string, label: string, show: Parameter['show'], fields = pair): Parameter => ({
  name,
  label,
  type: 'groups',
  multiple: true,
  default: { parameters: [{ name: '', value: '' }] },
  ...(show && { show }),
  groups: [{ name: 'parameters', label: 'Parameter', fields }],
});

const specify = (what: 'Query' | 'Headers', sent: string): Parameter => ({
  name: `specify${what}`,
  label: `Specify ${what === 'Query' ? 'Query Parameters' : what}`,
  type: 'options',
  default: 'keypair',
  show: { [sent]: [true] },
  options: [
    { value: 'keypair', label: 'Using Fields Below' },
    { value: 'json', label: 'Using JSON' },
  ],
});

const multipartField: Parameter[] = [
  {
    name: 'parameterType',
    label: 'Parameter Type',
    type: 'options',
    default: 'formData',
    options: [
      { value: 'formData', label: 'Form Data' },
      { value: 'formBinaryData', label: 'File' },
    ],
  },
  ...pair,
  { name: 'inputDataFieldName', label: 'Input Data Field Name', type: 'string', default: '' },
];

export const httpRequestParameters: Parameter[] = [
  {
    name: 'method',
    label: 'Method',
    type: 'options',
    default: 'GET',
    options: listed(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']),
  },
  {
    name: 'url',
    label: 'URL',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'https://example.com/index.html',
  },
  {
    name: 'authentication',
    label: 'Authentication',
    type: 'options',
    default: 'none',
    literal: true,
    options: [
      { value: 'none', label: 'None' },
      { value: 'genericCredentialType', label: 'Generic Credential Type' },
    ],
  },
  {
    name: 'genericAuthType',
    label: 'Generic Auth Type',
    type: 'options',
    default: '',
    required: true,
    literal: true,
    show: { authentication: ['genericCredentialType'] },
    options: listed(GENERIC_TYPES),
  },
  { name: 'sendQuery', label: 'Send Query Parameters', type: 'boolean', default: false, literal: true },
  specify('Query', 'sendQuery'),
  pairs('queryParameters', 'Query Parameters', { sendQuery: [true], specifyQuery: ['keypair'] }),
  {
    name: 'jsonQuery',
    label: 'JSON',
    type: 'json',
    default: '',
    show: { sendQuery: [true], specifyQuery: ['json'] },
  },
  { name: 'sendHeaders', label: 'Send Headers', type: 'boolean', default: false, literal: true },
  specify('Headers', 'sendHeaders'),
  pairs('headerParameters', 'Headers', { sendHeaders: [true], specifyHeaders: ['keypair'] }),
  {
    name: 'jsonHeaders',
    label: 'JSON',
    type: 'json',
    default: '',
    show: { sendHeaders: [true], specifyHeaders: ['json'] },
  },
  { name: 'sendBody', label: 'Send Body', type: 'boolean', default: false, literal: true },
  {
    name: 'contentType',
    label: 'Body Content Type',
    type: 'options',
    default: 'json',
    show: { sendBody: [true] },
    options: [
      { value: 'form-urlencoded', label: 'Form Urlencoded' },
      { value: 'multipart-form-data', label: 'Form-Data' },
      { value: 'json', label: 'JSON' },
      { value: 'binaryData', label: 'n8n Binary File' },
      { value: 'raw', label: 'Raw' },
    ],
  },
  {
    name: 'specifyBody',
    label: 'Specify Body',
    type: 'options',
    default: 'keypair',
    show: { sendBody: [true], contentType: ['json'] },
    options: [
      { value: 'keypair', label: 'Using Fields Below' },
      { value: 'json', label: 'Using JSON' },
    ],
  },
  {
    name: 'specifyBody',
    label: 'Specify Body',
    type: 'options',
    default: 'keypair',
    show: { sendBody: [true], contentType: ['form-urlencoded'] },
    options: [
      { value: 'keypair', label: 'Using Fields Below' },
      { value: 'string', label: 'Using Single Field' },
    ],
  },
  pairs('bodyParameters', 'Body Parameters', {
    sendBody: [true],
    contentType: ['json', 'form-urlencoded'],
    specifyBody: ['keypair'],
  }),
  pairs(
    'bodyParameters',
    'Body Parameters',
    { sendBody: [true], contentType: ['multipart-form-data'] },
    multipartField,
  ),
  {
    name: 'jsonBody',
    label: 'JSON',
    type: 'json',
    default: '',
    rows: 6,
    show: { sendBody: [true], contentType: ['json'], specifyBody: ['json'] },
  },
  {
    name: 'body',
    label: 'Body',
    type: 'string',
    default: '',
    placeholder: 'field1=value1&field2=value2',
    show: { sendBody: [true], contentType: ['form-urlencoded'], specifyBody: ['string'] },
  },
  {
    name: 'inputDataFieldName',
    label: 'Input Data Field Name',
    type: 'string',
    default: '',
    show: { sendBody: [true], contentType: ['binaryData'] },
    description: 'Name of the file in the item.',
  },
  {
    name: 'rawContentType',
    label: 'Content Type',
    type: 'string',
    default: '',
    placeholder: 'text/html',
    show: { sendBody: [true], contentType: ['raw'] },
  },
  {
    name: 'body',
    label: 'Body',
    type: 'string',
    default: '',
    rows: 4,
    show: { sendBody: [true], contentType: ['raw'] },
  },
  { name: 'options', label: 'Options', type: 'collection', default: {}, fields: httpRequestOptions },
];
