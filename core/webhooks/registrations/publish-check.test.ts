import { expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { nodeType } from '../nodes/index.ts';
import { findIssues, findPlainBraces, issuesError } from './publish-check.ts';

const issuesOf = async (type: string, typeVersion: number, parameters: JsonObject, more: object = {}) => {
  const workflow = workflowOf({ Node: { type, typeVersion, parameters, ...more } as never }, []);
  const found = await findIssues(workflow, { nodeType, hasCredential: async () => false });
  return found.flatMap(({ issues }) => issues);
};

it.each<[title: string, ...node: Parameters<typeof issuesOf>, issue: string | undefined]>([
  [
    'missing required values',
    'convertToFile',
    1.1,
    { operation: 'toText' },
    {},
    'Missing or invalid required parameter: Input Field',
  ],
  ['hidden parameters are not required', 'convertToFile', 1.1, { operation: 'csv' }, {}, undefined],
  ['a credential', 'webhook', 2.1, { authentication: 'jwtAuth' }, {}, 'Missing required credential: jwtAuth'],
  ['an unknown node type', 'rareService', 1, {}, {}, 'Unknown node type: n8n-nodes-base.rareService'],
  ['a disabled node of an unknown type', 'rareService', 1, {}, { disabled: true }, undefined],
  ['a newer version', 'set', 99, {}, {}, 'Unknown version 99 of n8n-nodes-base.set (known up to 3.5)'],
  ['SQL', 'merge', 3.2, { mode: 'combineBySql' }, {}, undefined],
  [
    'SQL without a query',
    'merge',
    3.2,
    { mode: 'combineBySql', query: '' },
    {},
    'Missing or invalid required parameter: SQL Query',
  ],
  [
    'an unsupported authentication',
    'webhook',
    2.1,
    { authentication: 'n8nOAuth2' },
    {},
    'The authentication "n8nOAuth2" is not supported here: use Basic, Header or JWT Auth',
  ],
  [
    'an unsupported method among several',
    'webhook',
    2.1,
    { multipleMethods: true, httpMethod: ['GET', 'TRACE'] },
    {},
    'The HTTP method "TRACE" is not supported',
  ],
  [
    'a credential that does not exist',
    'webhook',
    2.1,
    { authentication: 'basicAuth' },
    { credentials: { httpBasicAuth: { id: '1', name: 'gone' } } },
    'The credential "gone" of type "httpBasicAuth" does not exist here: choose another one',
  ],
  [
    'a missing credential of a service',
    'httpRequest',
    4.2,
    { url: 'http://a', authentication: 'predefinedCredentialType', nodeCredentialType: 'slackApi' },
    {},
    'Missing required credential: slackApi',
  ],
  [
    'a credential of an unknown service',
    'httpRequest',
    4.2,
    { url: 'http://a', authentication: 'predefinedCredentialType', nodeCredentialType: 'rareApi' },
    {},
    'Credentials of the type "rareApi" cannot be used here: choose "Generic Credential Type" and one of httpBasicAuth, httpBearerAuth, httpCustomAuth, httpDigestAuth, httpHeaderAuth, httpQueryAuth, oAuth2Api',
  ],
  ['Python', 'code', 2, { language: 'pythonNative' }, {}, undefined],
])('%s', async (_title, type, version, parameters, more, issue) => {
  expect(await issuesOf(type, version, parameters, more)).toEqual(issue === undefined ? [] : [issue]);
});

it('reports the faults of all nodes', async () => {
  const node = { type: 'rareService', typeVersion: 1, parameters: {} };
  const { status, message } = issuesError(
    await findIssues(workflowOf({ A: node, B: node } as never, []), { nodeType }),
  );
  expect([status, message]).toEqual([
    400,
    'Cannot publish workflow: 2 nodes have configuration issues:\n\nNode "A":\n  - Unknown node type: n8n-nodes-base.rareService\n\nNode "B":\n  - Unknown node type: n8n-nodes-base.rareService',
  ]);
});

it('finds braces without effect', () => {
  const workflow = workflowOf(
    { Set: setFields({ plain: '{{ $json.a }}', meant: '={{ $json.a }}' }, false) },
    [],
  );
  expect(findPlainBraces(workflow)).toEqual([
    { node: 'Set', parameter: expect.stringContaining('assignments') },
  ]);
});

it('a platform without connections refuses nodes of databases, by name', async () => {
  const workflow = workflowOf(
    { Rows: { type: 'postgres', typeVersion: 2, parameters: { operation: 'select' } } },
    [],
  );
  const [found] = await findIssues(workflow, { nodeType, hasClients: false });
  expect(found!.issues[0]).toBe(
    'Postgres needs a connection that browsers do not make: run the workflow on the ports of the tabd shim',
  );
  const [here] = await findIssues(workflow, { nodeType });
  expect(here!.issues).toEqual([
    'Missing required credential: postgres',
    'Missing or invalid required parameter: Table',
  ]);
});

it('a platform without Python refuses its nodes', async () => {
  const workflow = workflowOf(
    {
      Code: { type: 'code', typeVersion: 2, parameters: { language: 'pythonNative' } },
      Old: { type: 'code', typeVersion: 1, parameters: { language: 'python' } },
      Script: { type: 'code', typeVersion: 2 },
      Tool: {
        type: '@n8n/n8n-nodes-langchain.toolCode',
        typeVersion: 1.3,
        parameters: { language: 'python' },
      },
    },
    [],
  );
  const found = await findIssues(workflow, { nodeType, hasPython: false });
  const issue =
    'Python runner unavailable: the package pyodide is not installed here. Install it, or write the code in JavaScript';
  expect(found).toEqual([
    { node: 'Code', issues: [issue] },
    { node: 'Tool', issues: [issue] },
  ]);
  expect(await findIssues(workflow, { nodeType })).toEqual([]);
});
