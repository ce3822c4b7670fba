import { expect, it } from 'vitest';
import { openTestEngine } from '#test/support/webhooks/execution-engine.ts';
import { runFirstOutput, runWebhookNode } from '#test/support/webhooks/run-node.ts';

const ITEMS = [{ id: 1 }, { id: 2 }];
const run = async (type: string, functionCode: string, input = ITEMS) =>
  runFirstOutput(await openTestEngine(), { type, parameters: { functionCode } }, input);

it.each([
  ['return [{json:{a:items.length}}];', [{ a: 2 }]],
  ['return {a:1};', [{ a: 1 }]],
  ['return [{a:1},{a:2}];', [{ a: 1 }, { a: 2 }]],
  ['items[0].json.k = $items("Start").length; return items;', [{ id: 1, k: 2 }, { id: 2 }]],
  [
    'const s = getWorkflowStaticData("global"); s.n = 1; return {n: s.n, f: $node["Start"].json.id};',
    [{ n: 1, f: 1 }],
  ],
  ['const a = 1;', { error: 'No data got returned. Always return an Array of items!' }],
  ['return 5;', { error: 'Always an Array of items has to be returned!' }],
  ['\nthrow new Error("bad");', { error: 'bad [line 2]' }],
])('Function: %s', async (code, expected) => expect(await run('function', code)).toEqual(expected));

it.each([
  [
    'item.k = item.id * 2; return item;',
    [
      { id: 1, k: 2 },
      { id: 2, k: 4 },
    ],
  ],
  [
    'return { i: $itemIndex, b: typeof getBinaryData, n: $item(1).$json.id };',
    [
      { i: 0, b: 'function', n: 2 },
      { i: 1, b: 'function', n: 2 },
    ],
  ],
  ['item.z = 1;', { error: 'No data got returned. Always an object has to be returned!' }],
  ['throw new Error("bad");', { error: 'bad [line 1]' }],
])('Function Item: %s', async (code, expected) => expect(await run('functionItem', code)).toEqual(expected));

it('Function Item reads and sets the files of an item', async () => {
  const file = { mimeType: 'text/plain', data: 'YQ==' };
  const code = 'const f = getBinaryData(); setBinaryData({ copy: f.data }); return { had: Object.keys(f) };';
  const { items } = await runWebhookNode(
    await openTestEngine(),
    { type: 'functionItem', parameters: { functionCode: code } },
    [{ json: {}, binary: { data: file } }] as never,
  );
  expect(items[0]).toMatchObject([{ json: { had: ['data'] }, binary: { copy: file } }]);
});

it('continues after an error with an item', async () => {
  const node = { type: 'functionItem', onError: 'continueRegularOutput' as const };
  const functionCode = 'if (item.id === 1) throw new Error("no"); return item;';
  expect(
    await runFirstOutput(await openTestEngine(), { ...node, parameters: { functionCode } }, ITEMS),
  ).toEqual([{ error: 'no [line 1]' }, { id: 2 }]);
});
