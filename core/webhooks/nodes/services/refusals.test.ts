/** Nodes of services that are refused when a workflow is published, because each run would fail or do less. */
import { expect, it } from 'vitest';
import { type JsonObject, nodeSettings } from '#core/workflow-format';
import { nodeType } from '../index.ts';

function issuesOf(name: string, typeVersion: number, parameters: JsonObject): string[] {
  const type = nodeType(`n8n-nodes-base.${name}`)!;
  const node = { id: '1', name, type: type.name, typeVersion, position: [0, 0], parameters };
  return type.issues!(nodeSettings(type, node as unknown as Parameters<typeof nodeSettings>[1]));
}

it.each<[string, number, JsonObject, string]>([
  ['whatsApp', 1.1, { operation: 'sendTwice' }, 'WhatsApp Business Cloud has no operation "sendTwice"'],
  [
    'telegram',
    1.2,
    { operation: 'sendAndWait', chatApproval: true },
    'Telegram cannot use "Chat Approval" here',
  ],
  [
    'clickUp',
    1,
    { resource: 'timeEntry', operation: 'start' },
    'ClickUp has no operation "start" of "timeEntry"',
  ],
  [
    'microsoftOneDrive',
    1.1,
    { authentication: 'microsoftEntraServicePrincipalApi' },
    'Microsoft OneDrive cannot use the authentication "microsoftEntraServicePrincipalApi" here',
  ],
  ['nocoDb', 3, { version: 1, operation: 'get' }, 'NocoDB cannot use the version "1" here (it has: 3)'],
  [
    'nocoDb',
    3,
    { operation: 'create', fieldsUi: { fieldValues: [{ fieldName: 'a', binaryData: true }] } },
    'NocoDB cannot use "Binary Data" here',
  ],
  [
    'facebookGraphApi',
    1,
    { node: 'me', allowUnauthorizedCerts: true },
    'cannot use "Allow Unauthorized Certs"',
  ],
])('refuses %s with %j', (name, version, parameters, message) => {
  expect(issuesOf(name, version, parameters).join('\n')).toContain(message);
});

it('accepts a choice that an expression makes', () => {
  expect(issuesOf('microsoftOneDrive', 1.1, { authentication: '={{ $json.a }}' })).toEqual([]);
});
