import type { Parameter } from '#core/workflow-format';
import {
  choice,
  fixedCollection,
  fixedCollectionList,
  flag,
  group,
  number,
  text,
} from '../../shared/parameters.ts';

/** An option that is a group of fields with the option's own label. */
const section = (name: string, label: string, groupName: string, fields: Parameter[]): Parameter =>
  fixedCollection(name, label, { groups: [group(groupName, label, fields)] });

/** A number of at least 0. */
const count = (
  name: string,
  label: string,
  value: number,
  extras: Partial<Pick<Parameter, 'minimum' | 'show' | 'description'>> = {},
): Parameter => number(name, label, value, { minimum: 0, ...extras });

const paginated = { paginationMode: ['updateAParameterInEachRequest', 'responseContainsNextURL'] };

export const httpRequestOptions: Parameter[] = [
  section('batching', 'Batching', 'batch', [
    count('batchSize', 'Items per Batch', 50, { minimum: 1 }),
    count('batchInterval', 'Batch Interval (ms)', 1000),
  ]),
  flag('allowUnauthorizedCerts', 'Ignore SSL Issues'),
  choice('queryParameterArrays', 'Array Format in Query Parameters', 'brackets', {
    options: [
      { value: 'repeat', label: 'No Brackets', description: 'foo=bar&foo=qux' },
      { value: 'brackets', label: 'Brackets Only', description: 'foo[]=bar&foo[]=qux' },
      { value: 'indices', label: 'Brackets with Indices', description: 'foo[0]=bar&foo[1]=qux' },
    ],
  }),
  section('redirect', 'Redirects', 'redirect', [
    flag('followRedirects', 'Follow Redirects', { default: true }),
    count('maxRedirects', 'Max Redirects', 21, { show: { followRedirects: [true] } }),
  ]),
  section('response', 'Response', 'response', [
    flag('fullResponse', 'Include Response Headers and Status'),
    flag('neverError', 'Never Error'),
    choice('responseFormat', 'Response Format', 'autodetect', {
      options: { autodetect: 'Autodetect', file: 'File', json: 'JSON', text: 'Text' },
    }),
    text('outputPropertyName', 'Put Output in Field', {
      default: 'data',
      show: { responseFormat: ['file', 'text'] },
    }),
  ]),
  section('pagination', 'Pagination', 'pagination', [
    choice('paginationMode', 'Pagination Mode', 'updateAParameterInEachRequest', {
      literal: true,
      options: {
        off: 'Off',
        updateAParameterInEachRequest: 'Update a Parameter in Each Request',
        responseContainsNextURL: 'Response Contains Next URL',
      },
    }),
    text('nextURL', 'Next URL', {
      placeholder: '={{ $response.body.next }}',
      show: { paginationMode: ['responseContainsNextURL'] },
    }),
    fixedCollectionList('parameters', 'Parameters', {
      default: { parameters: [{ type: 'qs', name: '', value: '' }] },
      show: { paginationMode: ['updateAParameterInEachRequest'] },
      groups: [
        group('parameters', 'Parameter', [
          choice('type', 'Type', 'qs', { options: { body: 'Body', headers: 'Header', qs: 'Query' } }),
          text('name', 'Name'),
          text('value', 'Value', { placeholder: '={{ $pageCount + 1 }}' }),
        ]),
      ],
    }),
    choice('paginationCompleteWhen', 'Pagination Complete When', 'responseIsEmpty', {
      show: paginated,
      options: {
        responseIsEmpty: 'Response Is Empty',
        receiveSpecificStatusCodes: 'Receive Specific Status Code(s)',
        other: 'Other',
      },
    }),
    text('statusCodesWhenComplete', 'Status Code(s) when Complete', {
      placeholder: '204, 404',
      show: { paginationCompleteWhen: ['receiveSpecificStatusCodes'] },
    }),
    text('completeExpression', 'Complete Expression', {
      placeholder: '={{ $response.body.last }}',
      show: { paginationCompleteWhen: ['other'] },
    }),
    flag('limitPagesFetched', 'Limit Pages Fetched', { default: true, show: paginated }),
    count('maxRequests', 'Max Pages', 100, { show: { limitPagesFetched: [true] } }),
    count('requestInterval', 'Interval Between Requests (ms)', 0, { show: paginated }),
  ]),
  text('proxy', 'Proxy', { placeholder: 'http://user:password@proxy:3128' }),
  count('timeout', 'Timeout', 10000, {
    minimum: 1,
    description: 'Milliseconds. Five minutes if not set.',
  }),
];
