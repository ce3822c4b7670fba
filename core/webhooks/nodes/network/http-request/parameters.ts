import type { Parameter, ShowConditions } from '#core/workflow-format';
import {
  choice,
  fixedCollectionList,
  flag,
  group,
  jsonText,
  options,
  text,
} from '../../shared/parameters.ts';
import { GENERIC_TYPES, PREDEFINED_TYPES } from './authentication.ts';
import { legacyHttpRequestParameters } from './legacy-parameters.ts';
import { httpRequestOptions } from './options.ts';

const nameAndValue = [text('name', 'Name'), text('value', 'Value')];

const pairs = (name: string, label: string, show: ShowConditions, fields = nameAndValue): Parameter =>
  fixedCollectionList(name, label, {
    default: { parameters: [{ name: '', value: '' }] },
    show,
    groups: [group('parameters', 'Parameter', fields)],
  });

/** Whether something is set field by field, or as the text that `other` names. */
const specify = (
  name: string,
  label: string,
  show: ShowConditions,
  other: Record<string, string> = { json: 'Using JSON' },
): Parameter =>
  choice(name, label, 'keypair', { show, options: { keypair: 'Using Fields Below', ...other } });

const multipartField = [
  choice('parameterType', 'Parameter Type', 'formData', {
    options: { formData: 'Form Data', formBinaryData: 'File' },
  }),
  ...nameAndValue,
  text('inputDataFieldName', 'Input Data Field Name'),
];

const current: Parameter[] = [
  choice('method', 'Method', 'GET', {
    options: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
  }),
  text('url', 'URL', { required: true, placeholder: 'https://example.com/index.html' }),
  choice('authentication', 'Authentication', 'none', {
    literal: true,
    options: {
      none: 'None',
      predefinedCredentialType: 'Predefined Credential Type',
      genericCredentialType: 'Generic Credential Type',
    },
  }),
  choice('nodeCredentialType', 'Credential Type', '', {
    required: true,
    literal: true,
    show: { authentication: ['predefinedCredentialType'] },
    options: PREDEFINED_TYPES,
  }),
  choice('genericAuthType', 'Generic Auth Type', '', {
    required: true,
    literal: true,
    show: { authentication: ['genericCredentialType'] },
    options: GENERIC_TYPES,
  }),
  flag('sendQuery', 'Send Query Parameters', { literal: true }),
  specify('specifyQuery', 'Specify Query Parameters', { sendQuery: [true] }),
  pairs('queryParameters', 'Query Parameters', { sendQuery: [true], specifyQuery: ['keypair'] }),
  jsonText('jsonQuery', 'JSON', { show: { sendQuery: [true], specifyQuery: ['json'] } }),
  flag('sendHeaders', 'Send Headers', { literal: true }),
  specify('specifyHeaders', 'Specify Headers', { sendHeaders: [true] }),
  pairs('headerParameters', 'Headers', { sendHeaders: [true], specifyHeaders: ['keypair'] }),
  jsonText('jsonHeaders', 'JSON', { show: { sendHeaders: [true], specifyHeaders: ['json'] } }),
  flag('sendBody', 'Send Body', { literal: true }),
  choice('contentType', 'Body Content Type', 'json', {
    show: { sendBody: [true] },
    options: {
      'form-urlencoded': 'Form Urlencoded',
      'multipart-form-data': 'Form-Data',
      json: 'JSON',
      binaryData: 'n8n Binary File',
      raw: 'Raw',
    },
  }),
  specify('specifyBody', 'Specify Body', { sendBody: [true], contentType: ['json'] }),
  specify(
    'specifyBody',
    'Specify Body',
    { sendBody: [true], contentType: ['form-urlencoded'] },
    { string: 'Using Single Field' },
  ),
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
  jsonText('jsonBody', 'JSON', {
    rows: 6,
    show: { sendBody: [true], contentType: ['json'], specifyBody: ['json'] },
  }),
  text('body', 'Body', {
    placeholder: 'field1=value1&field2=value2',
    show: { sendBody: [true], contentType: ['form-urlencoded'], specifyBody: ['string'] },
  }),
  text('inputDataFieldName', 'Input Data Field Name', {
    show: { sendBody: [true], contentType: ['binaryData'] },
    description: 'Name of the file in the item.',
  }),
  text('rawContentType', 'Content Type', {
    placeholder: 'text/html',
    show: { sendBody: [true], contentType: ['raw'] },
  }),
  text('body', 'Body', { rows: 4, show: { sendBody: [true], contentType: ['raw'] } }),
  options({ fields: httpRequestOptions }),
];

/** Versions 1 and 2 have an address and parameters of their own. */
export const httpRequestParameters: Parameter[] = [
  ...legacyHttpRequestParameters,
  ...current.map((parameter): Parameter => {
    if (parameter.name === 'url') return parameter;
    return parameter.name.match(/^(authentication|genericAuthType|nodeCredentialType)$/)
      ? { versions: { from: 2 }, ...parameter }
      : { versions: { from: 3 }, ...parameter };
  }),
];
