/** The variables of expressions, on the items of `Start -> Middle -> Current`. */
import { afterAll, describe, expect, it } from 'vitest';
import { pairedItemsOf, taskOf } from '#test/support/webhooks/expression-scope.ts';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const NO_NODE = "Referenced node doesn't exist";
const NO_ENVIRONMENT = { error: 'access to env vars denied', description: expect.any(String) };

describe('earlier nodes', () => {
  it.each([
    ["$('Start').first().json.n", 7],
    ["$('Start').last().json.n", 8],
    ["$('Start').all().length", 2],
    ["$('Start').item.json.n", 8],
    ["$('Start').pairedItem().json.n", 8],
    ["$('Start').itemMatching(0).json.n", 7],
    ["$('Start').params.path", 'orders'],
    ["$('Start').context", { count: 1 }],
    ["[$('Start').isExecuted, $('Unused').isExecuted]", [true, false]],
    ["$('Start').first(1)", { nothing: true }],
    ["$('Start').all(0, 5)", []],
    ['$node.Start.json.n', 8],
    ["$node['Start'].binary", {}],
    ['[$node.Start.context.count, $node.Start.parameter.path, $node.Start.runIndex]', [1, 'orders', 0]],
    ['Object.keys($node).sort()', ['Middle', 'Start', 'Unused']],
    ["['Start' in $node, 'toString' in $node]", [true, false]],
    ["$items('Start')[0].json.n", 7],
    ["$items('Start', 1)", []],
    ['$item(0).$node.Start.json.n', 7],
    ['$item("1").$node.Start.data.n', 8],
  ])('are read by %s', async (code, value) => {
    expect(await sandbox.evaluate(code, { items: [1] })).toEqual(value);
  });

  it.each([
    ["$('None')", NO_NODE],
    ['$node.None.json', NO_NODE],
    ["$('__proto__')", NO_NODE],
    ["$('toString').first()", NO_NODE],
    ["$('Unused').first()", "Node 'Unused' hasn't been executed"],
    ["$('Unused').item", "Node 'Unused' hasn't been executed"],
    ["$items('Unused')", "Node 'Unused' hasn't been executed"],
    ["$('Start').itemMatching(9)", "Paired item data for item from node 'Start' is unavailable"],
  ])('are missing in %s', async (code, error) => {
    expect(await sandbox.evaluate(code)).toMatchObject({ error });
  });

  it('are read at the index of the current item by $node', async () => {
    const runData = { Start: [taskOf(pairedItemsOf({ n: 7 }))] };
    expect(await sandbox.evaluate('$node.Start.json.n', { items: [1], scope: { runData } })).toEqual({
      error: '"Start" node has 1 item(s) but you\'re trying to access item 1',
    });
  });
});

describe('the current item', () => {
  it.each([
    ['[$json.m, $data.m, $thisItem.json.m, $input.item.json.m]', [80, 80, 80, 80]],
    ['[$itemIndex, $position, $thisItemIndex]', [1, 1, 1]],
    ['$input.item', { json: { m: 80 }, pairedItem: { item: 1 } }],
    ['$binary', {}],
    ['[$input.first().json.m, $input.last().json.m, $input.all().length]', [70, 80, 2]],
    ['[$items().length, $item(0).$json.m]', [2, 70]],
    ['$item(9).$json', { nothing: true }],
    ['[$input.params, $parameter, $rawParameter]', [{ limit: 5 }, { limit: 5 }, { limit: 5 }]],
    ['$input.context', {}],
  ])('is read by %s', async (code, value) => {
    expect(await sandbox.evaluate(code, { items: [1] })).toEqual(value);
  });

  it('comes from the first input that has items', async () => {
    const scope = { inputs: [[], pairedItemsOf({ m: 1 })], sources: [] };
    expect(await sandbox.evaluate('$input.all().map(({ json }) => json.m)', { scope })).toEqual([1]);
  });

  it('has its files, if there are any', async () => {
    const binary = { data: { mimeType: 'text/plain', data: '' } };
    const inputs = [[{ json: {}, binary, pairedItem: { item: 0 } }]];
    expect(await sandbox.evaluate('$input.item.binary.data.mimeType', { scope: { inputs } })).toBe(
      'text/plain',
    );
  });

  it('does not keep changes of an expression', async () => {
    const change =
      '(function () { const was = $json.m; $json.m = 1; $input.all()[0].json.m = 1; return was })';
    const results = await sandbox.evaluateSource(change, { items: [0, 0, 1] });
    expect(results).toEqual([{ json: '70' }, { json: '70' }, { json: '80' }]);
  });
});

describe('facts of the execution', () => {
  it.each([
    ['[$execution.id, $executionId]', ['12', '12']],
    ['$resumeWebhookUrl', 'http://a.test/resume/12'],
    ['[$mode, $nodeId, $nodeVersion]', ['webhook', 'id-1', 2]],
    ['[$runIndex, $thisRunIndex]', [0, 0]],
    ['$workflow.name', 'Test'],
    ['$prevNode.name', 'Middle'],
    ['$vars.team', 'blue'],
    ['[$webhookId, $pageCount, $request, $response, $secrets].every((value) => value === undefined)', true],
  ])('are read by %s', async (code, value) => {
    expect(await sandbox.evaluate(code)).toEqual(value);
  });

  it.each(['$env.HOME', "'HOME' in $env", 'Object.keys($env)'])('do not include %s', async (code) => {
    expect(await sandbox.evaluate(code)).toEqual(NO_ENVIRONMENT);
  });
});
