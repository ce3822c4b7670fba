import type { CredentialUse, Parameter, ShowConditions, VersionRange } from '#core/workflow-format';
import { choice, flag, multiChoice, number, options, text } from '../../shared/parameters.ts';
import { webhookOptionParameters } from './options.ts';

/** Methods that a webhook can be registered for. */
export const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/** Labels of the ways to authenticate a call, by value. */
export const AUTHENTICATION = {
  none: 'None',
  basicAuth: 'Basic Auth',
  headerAuth: 'Header Auth',
  jwtAuth: 'JWT Auth',
};

/** The credential of each way to authenticate. @param show when the node's parameter has this value */
export function authenticationCredentials(show: (value: string) => ShowConditions): CredentialUse[] {
  return [
    { type: 'httpBasicAuth', required: true, show: show('basicAuth') },
    { type: 'httpHeaderAuth', required: true, show: show('headerAuth') },
    { type: 'jwtAuth', required: true, show: show('jwtAuth') },
  ];
}

interface ResponseExtras {
  mode: { modes?: { value: string; label: string; versions: VersionRange }[]; show?: ShowConditions };
  code: { versions?: VersionRange; show?: ShowConditions; hide?: ShowConditions };
  data: { show: ShowConditions };
  file: { description?: string; show: ShowConditions };
}

/** How a call is answered, by the Webhook node and by the Wait node: each adds when its fields are shown. */
export function responseParameters({ mode, code, data, file }: ResponseExtras): Parameter[] {
  const { modes = [], ...modeExtras } = mode;
  return [
    choice('responseMode', 'Respond', 'onReceived', {
      literal: true,
      options: [
        { value: 'onReceived', label: 'Immediately' },
        { value: 'lastNode', label: 'When Last Node Finishes' },
        { value: 'responseNode', label: "Using 'Respond to Webhook' Node" },
        ...modes,
      ],
      ...modeExtras,
    }),
    number('responseCode', 'Response Code', 200, { minimum: 200, maximum: 599, ...code }),
    choice('responseData', 'Response Data', 'firstEntryJson', {
      literal: true,
      options: {
        allEntries: 'All Entries',
        firstEntryJson: 'First Entry JSON',
        firstEntryBinary: 'First Entry Binary',
        noData: 'No Response Body',
      },
      ...data,
    }),
    text('responseBinaryPropertyName', 'Property Name', { default: 'data', required: true, ...file }),
  ];
}

export const webhookParameters: Parameter[] = [
  flag('multipleMethods', 'Allow Multiple HTTP Methods', {
    literal: true,
    description: 'Each method has an output of its own.',
  }),
  choice('httpMethod', 'HTTP Method', 'GET', {
    literal: true,
    options: METHODS,
    show: { multipleMethods: [false] },
  }),
  multiChoice('httpMethod', 'HTTP Methods', ['GET', 'POST'], {
    literal: true,
    options: METHODS,
    show: { multipleMethods: [true] },
  }),
  text('path', 'Path', {
    literal: true,
    placeholder: 'orders/:id',
    description: 'Parts that begin with a colon are variables. Empty: an address that cannot be guessed.',
  }),
  choice('authentication', 'Authentication', 'none', { literal: true, options: AUTHENTICATION }),
  ...responseParameters({
    mode: { modes: [{ value: 'streaming', label: 'Streaming', versions: { from: 2.1 } }] },
    code: { versions: { to: 1.1 }, hide: { responseMode: ['responseNode'] } },
    data: { show: { responseMode: ['lastNode'] } },
    file: { description: 'The file of the item that is sent.', show: { responseData: ['firstEntryBinary'] } },
  }),
  options({ fields: webhookOptionParameters }),
];
