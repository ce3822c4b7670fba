import type { Parameter } from '#core/webhooks/workflow/node-type.ts';
import { responseHeaders } from '../../shared/response-headers.ts';

const CODES = [200, 201, 202, 204, 301, 302, 303, 304, 400, 401, 403, 404, 500].map((value) => ({
  value,
  label: String(value),
}));

export const webhookOptions: Parameter[] = [
  {
    name: 'binaryData',
    label: 'Binary File',
    type: 'boolean',
    default: false,
    versions: { to: 1 },
    description: 'Keeps the body as it came, as a file.',
  },
  {
    name: 'binaryPropertyName',
    label: 'Field Name for Binary Data',
    type: 'string',
    default: 'data',
    description: 'The name of files in the item.',
  },
  {
    name: 'ignoreBots',
    label: 'Ignore Bots',
    type: 'boolean',
    default: false,
    description: 'Refuses calls of crawlers and link previews.',
  },
  {
    name: 'ipWhitelist',
    label: 'IP(s) Whitelist',
    type: 'string',
    default: '',
    placeholder: '127.0.0.1, 10.0.0.0/8',
    description: 'Addresses and ranges, separated by commas. Empty: everyone.',
  },
  {
    name: 'noResponseBody',
    label: 'No Response Body',
    type: 'boolean',
    default: false,
    show: { '/responseMode': ['onReceived'] },
  },
  {
    name: 'onlyRunIf',
    label: 'Only Run If',
    type: 'string',
    default: '',
    placeholder: '={{ $json.body.event === "paid" }}',
    description: 'An expression; the workflow starts only where it is true.',
  },
  {
    name: 'rawBody',
    label: 'Raw Body',
    type: 'boolean',
    default: false,
    description: 'Adds the body as it came, as a file: what signatures are made over.',
  },
  {
    name: 'responseCode',
    label: 'Response Code',
    type: 'groups',
    default: {},
    versions: { from: 2 },
    hide: { '/responseMode': ['responseNode'] },
    groups: [
      {
        name: 'values',
        label: 'Values',
        fields: [
          {
            name: 'responseCode',
            label: 'Code',
            type: 'options',
            default: 200,
            options: [...CODES, { value: 'customCode', label: 'Custom Code' }],
          },
          {
            name: 'customCode',
            label: 'Custom Code',
            type: 'number',
            default: 200,
            minimum: 200,
            maximum: 599,
          },
        ],
      },
    ],
  },
  {
    name: 'responseContentType',
    label: 'Response Content-Type',
    type: 'string',
    default: '',
    placeholder: 'application/xml',
    show: { '/responseData': ['firstEntryJson'], '/responseMode': ['lastNode'] },
  },
  {
    name: 'responseData',
    label: 'Response Data',
    type: 'string',
    default: '',
    placeholder: 'success',
    show: { '/responseMode': ['onReceived'] },
  },
  responseHeaders,
  {
    name: 'responsePropertyName',
    label: 'Property Name',
    type: 'string',
    default: '',
    placeholder: 'result.text',
    description: 'Sends only this part of the item.',
    show: { '/responseData': ['firstEntryJson'], '/responseMode': ['lastNode'] },
  },
  {
    name: 'allowedOrigins',
    label: 'Allowed Origins (CORS)',
    type: 'string',
    default: '*',
    description: 'Origins whose pages may read the answer, separated by commas, or * for every one.',
  },
];
