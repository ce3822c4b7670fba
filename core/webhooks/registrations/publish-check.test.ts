import { expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { nodeType } from '../nodes/index.ts';
import { findIssues, findPlainBraces, issuesError } from './publish-check.ts';

const issuesOf = (type: string, typeVersion: number, parameters: JsonObject, more: object = {}) => {
  const workflow = workflowOf({ Node: { type, typeVersion, parameters, ...more } as never }, []);
  return findIssues(workflow, nodeType).flatMap(({ issues }) => issues);
};

it.each<[why: string, ...node: Parameters<typeof issuesOf>, issue: string | undefined]>([
  [
    'what a node asks for',
    'convertToFile',
    1.1,
    { operation: 'toText' },
    {},
    'Missing or invalid required parameter: Input Field',
  ],
  [
    'what its settings do not show is not asked for',
    'convertToFile',
    1.1,
    { operation: 'csv' },
    {},
    undefined,
  ],
  ['a credential', 'webhook', 2.1, { authentication: 'jwtAuth' }, {}, 'Missing required credential: jwtAuth'],
  ['a node that nobody knows', 'slack', 1, {}, {}, 'Unknown node type: n8n-nodes-base.slack'],
  ['unless it is switched off', 'slack', 1, {}, { disabled: true }, undefined],
  [
    'a version that is newer',
    'set',
    99,
    {},
    {},
    'Unknown version 99 of n8n-nodes-base.set (known up to 3.5)',
  ],
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
    'an authentication that is not there',
    'webhook',
    2.1,
    { authentication: 'n8nOAuth2' },
    {},
    'The authentication "n8nOAuth2" is not supported here: use Basic, Header or JWT Auth',
  ],
  [
    'one of several methods',
    'webhook',
    2.1,
    { multipleMethods: true, httpMethod: ['GET', 'TRACE'] },
    {},
    'The HTTP method "TRACE" is not supported',
  ],
])('%s', (_why, type, version, parameters, more, issue) => {
  expect(issuesOf(type, version, parameters, more)).toEqual(issue === undefined ? [] : [issue]);
});

it('tells of all nodes at once', () => {
  const node = { type: 'slack', typeVersion: 1, parameters: {} };
  const { status, message } = issuesError(
    findIssues(workflowOf({ A: node, B: node } as never, []), nodeType),
  );
  expect([status, message]).toEqual([
    400,
    'Cannot publish workflow: 2 nodes have configuration issues:\n\nNode "A":\n  - Unknown node type: n8n-nodes-base.slack\n\nNode "B":\n  - Unknown node type: n8n-nodes-base.slack',
  ]);
});

it('finds braces that do nothing', () => {
  const workflow = workflowOf(
    { Set: setFields({ plain: '{{ $json.a }}', meant: '={{ $json.a }}' }, false) },
    [],
  );
  expect(findPlainBraces(workflow)).toEqual([
    { node: 'Set', parameter: expect.stringContaining('assignments') },
  ]);
});
