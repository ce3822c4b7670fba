import type { Parameter } from '#core/webhooks/workflow/node-type.ts';
import { webhookOptions } from './options.ts';

export const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'].map((value) => ({
  value,
  label: value,
}));

export const AUTHENTICATION = [
  { value: 'none', label: 'None' },
  { value: 'basicAuth', label: 'Basic Auth' },
  { value: 'headerAuth', label: 'Header Auth' },
  { value: 'jwtAuth', label: 'JWT Auth' },
];

export const RESPONSE_DATA = [
  { value: 'allEntries', label: 'All Entries' },
  { value: 'firstEntryJson', label: 'First Entry JSON' },
  { value: 'firstEntryBinary', label: 'First Entry Binary' },
  { value: 'noData', label: 'No Response Body' },
];

export const webhookParameters: Parameter[] = [
  {
    name: 'multipleMethods',
    label: 'Allow Multiple HTTP Methods',
    type: 'boolean',
    default: false,
    literal: true,
    description: 'Each method has an output of its own.',
  },
  {
    name: 'httpMethod',
    label: 'HTTP Method',
    type: 'options',
    default: 'GET',
    literal: true,
    options: METHODS,
    show: { multipleMethods: [false] },
  },
  {
    name: 'httpMethod',
    label: 'HTTP Methods',
    type: 'multiOptions',
    default: ['GET', 'POST'],
    literal: true,
    options: METHODS,
    show: { multipleMethods: [true] },
  },
  {
    name: 'path',
    label: 'Path',
    type: 'string',
    default: '',
    literal: true,
    placeholder: 'orders/:id',
    description: 'Parts that begin with a colon are variables. Empty: an address that cannot be guessed.',
  },
  {
    name: 'authentication',
    label: 'Authentication',
    type: 'options',
    default: 'none',
    literal: true,
    options: AUTHENTICATION,
  },
  {
    name: 'responseMode',
    label: 'Respond',
    type: 'options',
    default: 'onReceived',
    literal: true,
    options: [
      { value: 'onReceived', label: 'Immediately' },
      { value: 'lastNode', label: 'When Last Node Finishes' },
      { value: 'responseNode', label: "Using 'Respond to Webhook' Node" },
      { value: 'streaming', label: 'Streaming', versions: { from: 2.1 } },
    ],
  },
  {
    name: 'responseCode',
    label: 'Response Code',
    type: 'number',
    default: 200,
    minimum: 200,
    maximum: 599,
    versions: { to: 1.1 },
    hide: { responseMode: ['responseNode'] },
  },
  {
    name: 'responseData',
    label: 'Response Data',
    type: 'options',
    default: 'firstEntryJson',
    literal: true,
    options: RESPONSE_DATA,
    show: { responseMode: ['lastNode'] },
  },
  {
    name: 'responseBinaryPropertyName',
    label: 'Property Name',
    type: 'string',
    default: 'data',
    required: true,
    description: 'Which file of the item is sent.',
    show: { responseData: ['firstEntryBinary'] },
  },
  { name: 'options', label: 'Options', type: 'collection', default: {}, fields: webhookOptions },
];
