import { expect, test } from 'vitest';
import { recordsSchema } from './records-schema.ts';

// Stored data carries this version and these names: a change here needs a new version, and a migration or none by intent.
test('version 8 of the records', () => {
  expect(recordsSchema.version).toBe(8);
  expect(Object.keys(recordsSchema.migrations)).toEqual([]);
  expect(
    Object.entries(recordsSchema.collections).map(([name, { indexes }]) => [name, ...indexes].join(' ')),
  ).toEqual([
    'models modifiedAt',
    'pulls startedAt',
    'pins',
    'workflows name updatedAt',
    'publications',
    'executions number workflowId status startedAt',
    'executionData',
    'credentials name type',
    'workflowKeys',
    'executionFiles executionId digest',
    'nodeStorage',
    'dataTables name',
    'dataTableRows tableId',
    'promptQueue sequence',
    'promptHistory position',
  ]);
});
