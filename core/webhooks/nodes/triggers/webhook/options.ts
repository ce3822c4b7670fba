import type { Parameter } from '#core/workflow-format';
import { choice, fixedCollection, flag, group, number, text } from '../../shared/parameters.ts';
import { responseHeadersOption } from '../../shared/response-headers.ts';

const CODES = [200, 201, 202, 204, 301, 302, 303, 304, 400, 401, 403, 404, 500];

export const webhookOptionParameters: Parameter[] = [
  flag('binaryData', 'Binary File', {
    versions: { to: 1 },
    description: 'Stores the unparsed body as a file.',
  }),
  text('binaryPropertyName', 'Field Name for Binary Data', {
    default: 'data',
    description: 'The name of files in the item.',
  }),
  flag('ignoreBots', 'Ignore Bots', { description: 'Refuses calls from crawlers and link previews.' }),
  text('ipWhitelist', 'IP(s) Whitelist', {
    placeholder: '127.0.0.1, 10.0.0.0/8',
    description: 'Addresses and ranges, separated by commas. Empty: everyone.',
  }),
  flag('noResponseBody', 'No Response Body', { show: { '/responseMode': ['onReceived'] } }),
  text('onlyRunIf', 'Only Run If', {
    placeholder: '={{ $json.body.event === "paid" }}',
    description: 'An expression. The workflow starts only if it is true.',
  }),
  flag('rawBody', 'Raw Body', {
    description: 'Adds the unparsed body as a file, for example to check a signature.',
  }),
  fixedCollection('responseCode', 'Response Code', {
    versions: { from: 2 },
    hide: { '/responseMode': ['responseNode'] },
    groups: [
      group('values', 'Values', [
        choice('responseCode', 'Code', 200, {
          options: [
            ...CODES.map((value) => ({ value, label: String(value) })),
            { value: 'customCode', label: 'Custom Code' },
          ],
        }),
        number('customCode', 'Custom Code', 200, { minimum: 200, maximum: 599 }),
      ]),
    ],
  }),
  text('responseContentType', 'Response Content-Type', {
    placeholder: 'application/xml',
    show: { '/responseData': ['firstEntryJson'], '/responseMode': ['lastNode'] },
  }),
  text('responseData', 'Response Data', {
    placeholder: 'success',
    show: { '/responseMode': ['onReceived'] },
  }),
  responseHeadersOption,
  text('responsePropertyName', 'Property Name', {
    placeholder: 'result.text',
    description: 'Sends only this part of the item.',
    show: { '/responseData': ['firstEntryJson'], '/responseMode': ['lastNode'] },
  }),
  text('allowedOrigins', 'Allowed Origins (CORS)', {
    default: '*',
    description: 'Origins whose pages may read the answer, separated by commas, or * for every one.',
  }),
];
