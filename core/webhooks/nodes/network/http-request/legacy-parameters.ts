/** The parameters of versions 1 and 2. */
import type { Parameter, ShowConditions } from '#core/workflow-format';
import {
  choice,
  fixedCollectionList,
  flag,
  group,
  jsonText,
  number,
  options,
  text,
} from '../../shared/parameters.ts';

/** The credential of each way of authentication in version 1. */
export const LEGACY_AUTHENTICATION: Record<string, string> = {
  basicAuth: 'httpBasicAuth',
  customAuth: 'httpCustomAuth',
  digestAuth: 'httpDigestAuth',
  headerAuth: 'httpHeaderAuth',
  oAuth2: 'oAuth2Api',
  queryAuth: 'httpQueryAuth',
};

const withBody = { requestMethod: ['PATCH', 'POST', 'PUT', 'DELETE'] };

/** Values set one by one, or as JSON. */
const values = (kind: string, label: string, show: ShowConditions = {}): Parameter[] => [
  jsonText(`${kind}ParametersJson`, label, { show: { ...show, jsonParameters: [true] } }),
  fixedCollectionList(`${kind}ParametersUi`, label, {
    show: { ...show, jsonParameters: [false] },
    groups: [group('parameter', 'Parameter', [text('name', 'Name'), text('value', 'Value')])],
  }),
];

const legacy: Parameter[] = [
  choice('authentication', 'Authentication', 'none', {
    literal: true,
    versions: { to: 1 },
    options: ['none', ...Object.keys(LEGACY_AUTHENTICATION)],
  }),
  choice('requestMethod', 'Request Method', 'GET', {
    options: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
  }),
  flag('allowUnauthorizedCerts', 'Ignore SSL Issues'),
  choice('responseFormat', 'Response Format', 'json', {
    options: { file: 'File', json: 'JSON', string: 'String' },
  }),
  text('dataPropertyName', 'Property Name', {
    default: 'data',
    show: { responseFormat: ['string', 'file'] },
  }),
  flag('jsonParameters', 'JSON/RAW Parameters'),
  options({
    fields: [
      number('batchInterval', 'Batch Interval (ms)', 1000, { minimum: 0 }),
      number('batchSize', 'Batch Size', 50, { minimum: -1 }),
      choice('bodyContentType', 'Body Content Type', 'json', {
        options: {
          json: 'JSON',
          raw: 'RAW/Custom',
          'form-urlencoded': 'Form Urlencoded',
          'multipart-form-data': 'Form-Data Multipart',
        },
      }),
      text('bodyContentCustomMimeType', 'MIME Type'),
      flag('fullResponse', 'Full Response'),
      flag('followAllRedirects', 'Follow All Redirects'),
      flag('followRedirect', 'Follow GET/HEAD Redirects', { default: true }),
      flag('ignoreResponseCode', 'Ignore Response Code'),
      text('proxy', 'Proxy'),
      choice('queryParameterArrays', 'Query Parameter Arrays', 'brackets', {
        options: ['brackets', 'indices', 'repeat'],
      }),
      flag('splitIntoItems', 'Split Into Items'),
      number('timeout', 'Timeout', 10000, { minimum: 1 }),
      flag('useQueryString', 'Use Querystring'),
    ],
  }),
  flag('sendBinaryData', 'Send Binary File', { show: withBody }),
  text('binaryPropertyName', 'Input Binary Field', {
    default: 'data',
    show: { ...withBody, sendBinaryData: [true] },
    description: 'In a multipart form: field:file,field2:file2.',
  }),
  ...values('body', 'Body Parameters', withBody),
  ...values('header', 'Headers'),
  ...values('query', 'Query Parameters'),
];

/** Each with the versions that have it. */
export const legacyHttpRequestParameters: Parameter[] = legacy.map((parameter) => ({
  versions: { to: 2 },
  ...parameter,
}));
