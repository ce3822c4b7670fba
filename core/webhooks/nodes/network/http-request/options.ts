import type { Parameter } from '#core/webhooks/workflow/node-type.ts';

const group = (name: string, label: string, inner: string, fields: Parameter[]): Parameter => ({
  name,
  label,
  type: 'groups',
  default: {},
  groups: [{ name: inner, label, fields }],
});

const number = (name: string, label: string, value: number, more: Partial<Parameter> = {}): Parameter => ({
  name,
  label,
  type: 'number',
  default: value,
  minimum: 0,
  ...more,
});

const paged = { paginationMode: ['updateAParameterInEachRequest', 'responseContainsNextURL'] };

export const httpRequestOptions: Parameter[] = [
  group('batching', 'Batching', 'batch', [
    number('batchSize', 'Items per Batch', 50, { minimum: 1 }),
    number('batchInterval', 'Batch Interval (ms)', 1000),
  ]),
  { name: 'allowUnauthorizedCerts', label: 'Ignore SSL Issues', type: 'boolean', default: false },
  {
    name: 'queryParameterArrays',
    label: 'Array Format in Query Parameters',
    type: 'options',
    default: 'brackets',
    options: [
      { value: 'repeat', label: 'No Brackets', description: 'foo=bar&foo=qux' },
      { value: 'brackets', label: 'Brackets Only', description: 'foo[]=bar&foo[]=qux' },
      { value: 'indices', label: 'Brackets with Indices', description: 'foo[0]=bar&foo[1]=qux' },
    ],
  },
  group('redirect', 'Redirects', 'redirect', [
    { name: 'followRedirects', label: 'Follow Redirects', type: 'boolean', default: true },
    number('maxRedirects', 'Max Redirects', 21, { show: { followRedirects: [true] } }),
  ]),
  group('response', 'Response', 'response', [
    { name: 'fullResponse', label: 'Include Response Headers and Status', type: 'boolean', default: false },
    { name: 'neverError', label: 'Never Error', type: 'boolean', default: false },
    {
      name: 'responseFormat',
      label: 'Response Format',
      type: 'options',
      default: 'autodetect',
      options: [
        { value: 'autodetect', label: 'Autodetect' },
        { value: 'file', label: 'File' },
        { value: 'json', label: 'JSON' },
        { value: 'text', label: 'Text' },
      ],
    },
    {
      name: 'outputPropertyName',
      label: 'Put Output in Field',
      type: 'string',
      default: 'data',
      show: { responseFormat: ['file', 'text'] },
    },
  ]),
  group('pagination', 'Pagination', 'pagination', [
    {
      name: 'paginationMode',
      label: 'Pagination Mode',
      type: 'options',
      default: 'updateAParameterInEachRequest',
      literal: true,
      options: [
        { value: 'off', label: 'Off' },
        { value: 'updateAParameterInEachRequest', label: 'Update a Parameter in Each Request' },
        { value: 'responseContainsNextURL', label: 'Response Contains Next URL' },
      ],
    },
    {
      name: 'nextURL',
      label: 'Next URL',
      type: 'string',
      default: '',
      placeholder: '={{ $response.body.next }}',
      show: { paginationMode: ['responseContainsNextURL'] },
    },
    {
      name: 'parameters',
      label: 'Parameters',
      type: 'groups',
      multiple: true,
      default: { parameters: [{ type: 'qs', name: '', value: '' }] },
      show: { paginationMode: ['updateAParameterInEachRequest'] },
      groups: [
        {
          name: 'parameters',
          label: 'Parameter',
          fields: [
            {
              name: 'type',
              label: 'Type',
              type: 'options',
              default: 'qs',
              options: [
                { value: 'body', label: 'Body' },
                { value: 'headers', label: 'Header' },
                { value: 'qs', label: 'Query' },
              ],
            },
            { name: 'name', label: 'Name', type: 'string', default: '' },
            {
              name: 'value',
              label: 'Value',
              type: 'string',
              default: '',
              placeholder: '={{ $pageCount + 1 }}',
            },
          ],
        },
      ],
    },
    {
      name: 'paginationCompleteWhen',
      label: 'Pagination Complete When',
      type: 'options',
      default: 'responseIsEmpty',
      show: paged,
      options: [
        { value: 'responseIsEmpty', label: 'Response Is Empty' },
        { value: 'receiveSpecificStatusCodes', label: 'Receive Specific Status Code(s)' },
        { value: 'other', label: 'Other' },
      ],
    },
    {
      name: 'statusCodesWhenComplete',
      label: 'Status Code(s) when Complete',
      type: 'string',
      default: '',
      placeholder: '204, 404',
      show: { paginationCompleteWhen: ['receiveSpecificStatusCodes'] },
    },
    {
      name: 'completeExpression',
      label: 'Complete Expression',
      type: 'string',
      default: '',
      placeholder: '={{ $response.body.last }}',
      show: { paginationCompleteWhen: ['other'] },
    },
    { name: 'limitPagesFetched', label: 'Limit Pages Fetched', type: 'boolean', default: true, show: paged },
    number('maxRequests', 'Max Pages', 100, { show: { limitPagesFetched: [true] } }),
    number('requestInterval', 'Interval Between Requests (ms)', 0, { show: paged }),
  ]),
  {
    name: 'proxy',
    label: 'Proxy',
    type: 'string',
    default: '',
    placeholder: 'http://user:password@proxy:3128',
  },
  number('timeout', 'Timeout', 10000, {
    minimum: 1,
    description: 'Milliseconds; five minutes where it is not set.',
  }),
];
