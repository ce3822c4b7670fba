import type { Parameter } from '#core/workflow-format';
import { choice, flag, jsonText, number, options, text } from '../../shared/parameters.ts';
import { responseHeadersOption } from '../../shared/response-headers.ts';

export const respondParameters: Parameter[] = [
  flag('enableResponseOutput', 'Enable Response Output Branch', {
    literal: true,
    versions: { from: 1.4 },
    description: 'Adds an output with the response.',
  }),
  choice('respondWith', 'Respond With', 'firstIncomingItem', {
    literal: true,
    options: {
      allIncomingItems: 'All Incoming Items',
      binary: 'Binary File',
      firstIncomingItem: 'First Incoming Item',
      json: 'JSON',
      jwt: 'JWT Token',
      noData: 'No Data',
      redirect: 'Redirect',
      text: 'Text',
    },
  }),
  text('redirectURL', 'Redirect URL', {
    required: true,
    placeholder: 'https://example.com/thanks',
    show: { respondWith: ['redirect'] },
  }),
  jsonText('responseBody', 'Response Body', {
    default: '{\n  "myField": "value"\n}',
    show: { respondWith: ['json'] },
  }),
  jsonText('payload', 'Payload', { default: '{\n  "myField": "value"\n}', show: { respondWith: ['jwt'] } }),
  text('responseBody', 'Response Body', { rows: 2, show: { respondWith: ['text'] } }),
  choice('responseDataSource', 'Response Data Source', 'automatically', {
    literal: true,
    options: { automatically: 'Choose Automatically From Input', set: 'Specify Myself' },
    show: { respondWith: ['binary'] },
  }),
  text('inputFieldName', 'Input Field Name', {
    default: 'data',
    required: true,
    show: { respondWith: ['binary'], responseDataSource: ['set'] },
  }),
  options({
    fields: [
      number('responseCode', 'Response Code', 200, { minimum: 200, maximum: 599 }),
      responseHeadersOption,
      text('responseKey', 'Put Response in Field', {
        placeholder: 'data',
        show: { '/respondWith': ['allIncomingItems', 'firstIncomingItem'] },
      }),
      flag('enableStreaming', 'Enable Streaming', {
        default: true,
        versions: { from: 1.5 },
        show: { '/respondWith': ['allIncomingItems', 'firstIncomingItem', 'text', 'json', 'jwt'] },
      }),
    ],
  }),
];
