import { expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { nodeType } from '../nodes/index.ts';
import { findIssues, findPlainBraces, issuesError } from './publish-check.ts';

const issuesOf = (type: string, typeVersion: number, parameters: JsonObject, more: object = {}) => {
  const workflow = workflowOf({ Node: { type, typeVersion, parameters, ...more } as never }, []);
  return findIssues(workflow, nodeType).flatMap(({ issues }) => issues);
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
  ['an unknown node type', 'slack', 1, {}, {}, 'Unknown node type: n8n-nodes-base.slack'],
  ['a disabled node of an unknown type', 'slack', 1, {}, { disabled: true }, undefined],
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
])('%s', (_title, type, version, parameters, more, issue) => {
  expect(issuesOf(type, version, parameters, more)).toEqual(issue === undefined ? [] : [issue]);
});

it('reports the faults of all nodes', () => {
  const node = { type: 'slack', typeVersion: 1, parameters: {} };
  const { status, message } = issuesError(
    findIssues(workflowOf({ A: node, B: node } as never, []), nodeType),
  );
  expect([status, message]).toEqual([
    400,
    'Cannot publish workflow: 2 nodes have configuration issues:\n\nNode "A":\n  - Unknown node type: n8n-nodes-base.slack\n\nNode "B":\n  - Unknown node type: n8n-nodes-base.slack',
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
