import { expect, it } from 'vitest';
import { sampleScope } from '#test/support/webhooks/expression-scope.ts';
import type { ScopeUses } from './compile.ts';
import { packItem, packShared } from './pack-scope.ts';

const uses = (changes: Partial<ScopeUses> = {}): ScopeUses => ({
  items: false,
  nodes: new Set(),
  matching: false,
  ...changes,
});

it('packs only the data that a program needs', () => {
  const pack = packShared(sampleScope(), uses());
  expect(pack).toMatchObject({ nodes: {}, timezone: 'Europe/Berlin', now: Date.UTC(2025, 5, 15, 12) });
  expect(pack).not.toHaveProperty('inputs');
  expect(pack).not.toHaveProperty('origins');
  expect(JSON.parse(pack.scope)).toMatchObject({
    execution: { id: '12' },
    nodeName: 'Current',
    nodeVersion: 2,
    parameters: { limit: 5 },
    prevNode: { name: 'Middle', outputIndex: 0, runIndex: 0 },
    vars: { team: 'blue' },
  });
});

it('packs the items of inputs, each list once', () => {
  const scope = sampleScope();
  const [first] = packShared(scope, uses({ items: true })).inputs!;
  expect(JSON.parse(first!)).toMatchObject([{ json: { m: 70 } }, { json: { m: 80 } }]);
  scope.inputs[0]![0]!.json.m = 'changed';
  expect(packShared(scope, uses({ items: true })).inputs![0]).toBe(first);
});

it('packs named nodes, and leaves out unknown ones', () => {
  const { nodes } = packShared(sampleScope(), uses({ nodes: new Set(['Start', 'Unused', 'Nowhere']) }));
  expect(Object.keys(nodes)).toEqual(['Start', 'Unused']);
  expect(nodes.Start).toMatchObject({
    source: { run: 0, output: 0 },
    parameters: '{"path":"orders"}',
    context: '{"count":1}',
  });
  expect(JSON.parse(nodes.Start!.runs[0]![0]!)).toHaveLength(2);
  expect(nodes.Unused!.runs).toEqual([]);
});

it('packs all nodes that ran if the program computes their names', () => {
  expect(Object.keys(packShared(sampleScope(), uses({ nodes: 'all' })).nodes)).toEqual(['Start', 'Middle']);
});

it('packs the origins of all items', () => {
  const { origins } = packShared(sampleScope(), uses({ nodes: new Set(['Start']), matching: true }));
  expect(origins!.Start).toMatchObject([{ index: 0 }, { index: 1 }]);
});

it('packs an item with its origins, or with the error of an unknown origin', () => {
  const start = uses({ nodes: new Set(['Start', 'Unused']) });
  expect(packItem(sampleScope(), start, 1)).toEqual({
    index: 1,
    json: '{"m":80}',
    binary: '{}',
    origins: { Start: { run: 0, output: 0, index: 1 } },
  });
  expect(packItem(sampleScope({}, []), start, 0).origins.Start).toMatchObject({
    error: "Paired item data for item from node 'Start' is unavailable",
    description: expect.stringContaining('.itemMatching(n)'),
  });
});
