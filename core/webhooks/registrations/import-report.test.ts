import { expect, it } from 'vitest';
import { codeNode, workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { nodeType } from '../nodes/index.ts';
import { importReport } from './import-report.ts';

const pythonNode = (pythonCode: string) => ({
  type: 'code',
  typeVersion: 2,
  parameters: { language: 'python', pythonCode },
});

it('says of each node how it runs', async () => {
  const workflow = workflowOf(
    {
      Start: { type: 'manualTrigger' },
      Note: { type: 'stickyNote' },
      Slack: { type: 'slack', typeVersion: 2.3 },
      Sheet: { type: 'microsoftSql' },
      Odd: { type: 'nobody.knows' },
      Rare: { type: 'n8n-nodes-base.rareService' },
      New: { type: 'set', typeVersion: 99 },
      Code: codeNode("const a = require('axios'); const c = require('crypto'); return [];"),
      Snake: pythonNode('return []'),
      Panda: pythonNode('import pandas as pd, json\nreturn []'),
      Off: { type: 'slack', disabled: true },
      Hook: {
        type: 'webhook',
        typeVersion: 2,
        parameters: { authentication: 'basicAuth' },
        credentials: { httpBasicAuth: { id: '1', name: 'gone' } },
      },
    },
    [],
  );
  const nodes = await importReport(workflow, { nodeType, hasCredential: async () => false });
  expect(nodes.map(({ node, status, replacement }) => [node, status, replacement])).toEqual([
    ['Start', 'runs', undefined],
    ['Slack', 'incomplete', undefined],
    ['Sheet', 'missing', expect.stringContaining('data service')],
    ['Odd', 'missing', undefined],
    ['Rare', 'missing', expect.stringContaining('HTTP Request')],
    ['New', 'missing', 'a new "Edit Fields (Set)" node'],
    ['Code', 'differs', undefined],
    ['Snake', 'runs', undefined],
    ['Panda', 'differs', undefined],
    ['Off', 'runs', undefined],
    ['Hook', 'incomplete', undefined],
  ]);
  expect(nodes.find(({ node }) => node === 'Code')?.message).toBe(
    'The code requires axios, which is not there.',
  );
  expect(nodes.find(({ node }) => node === 'Panda')?.message).toBe(
    'The code imports pandas, which is not there.',
  );
});

it('says that Python is missing', async () => {
  const workflow = workflowOf({ Snake: pythonNode('return []') }, []);
  const [node] = await importReport(workflow, { nodeType, hasPython: false });
  expect(node).toMatchObject({ status: 'incomplete', message: expect.stringContaining('pyodide') });
});
