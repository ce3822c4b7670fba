/** The globals of Code nodes, their static data, and the results of each item. */
import { afterAll, describe, expect, it } from 'vitest';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

describe('globals', () => {
  it.each([
    ['typeof module.exports', 'object'],
    ['global === globalThis', true],
    ["require('buffer').Buffer === Buffer && require('node:buffer').Buffer === Buffer", true],
    ['[typeof __bridge, typeof __host, typeof __code, typeof __input]', Array(4).fill('undefined')],
    ['[typeof $if, typeof $max, typeof navigator, typeof performance]', Array(4).fill('undefined')],
    ['[this.$json.m, this.items.length, typeof this.helpers]', [70, 2, 'object']],
    ['[$input.params.limit, $input.item.json.m, $input.context]', [5, 70, {}]],
    ["$getPairedItem('Start').json.n", 7],
    ["$evaluateExpression('{{ $json.m + 1 }}')", 71],
    ['$evaluateExpression("{{ $(\'Start\').item.json.n }}")', 7],
    ["$evaluateExpression('=m: {{ $json.m }}, none: {{ $json.none }}')", 'm: 70, none: '],
    ["$evaluateExpression('plain')", 'plain'],
    ["require('fs')", { error: "Module 'fs' is disallowed [line 1]" }],
    ['require()', { error: "Module 'undefined' is disallowed [line 1]" }],
    ["$evaluateExpression('{{ ( }}')", { error: expect.stringMatching(/./) }],
  ])('%s', async (code, value) => expect(await sandbox.run(`return ${code}`)).toEqual(value));

  it('do not survive the run', async () => {
    await sandbox.run('globalThis.leaked = 1; Array.prototype.map = null; return 1');
    expect(await sandbox.run('return [typeof leaked, typeof [].map]')).toEqual(['undefined', 'function']);
  });
});

describe('the mode for each item', () => {
  it('runs the code once for each, and refuses to read all items', async () => {
    const mode = 'eachItem';
    expect(await sandbox.runAll('return [item.json.m, typeof items, $itemIndex]', { mode })).toEqual([
      { value: [70, 'undefined', 0] },
      { value: [80, 'undefined', 1] },
    ]);
    const [refused] = await sandbox.runAll('return $input.all()', { mode });
    expect(refused).toMatchObject({ error: { message: "Can't use .all() here [line 1, for item 0]" } });
  });

  it('stops at the first item that fails, unless the node continues', async () => {
    const code = "if (item.json.m === 70) throw new Error('seventy'); return 1";
    const failed = { error: expect.objectContaining({ message: 'seventy [line 1]' }) };
    expect(await sandbox.runAll(code, { mode: 'eachItem' })).toEqual([failed]);
    const continued = await sandbox.runAll(code, { mode: 'eachItem', scope: { continueOnFail: true } });
    expect(continued).toEqual([failed, { value: 1 }]);
  });
});

describe('static data', () => {
  const withStatics = () => {
    const statics = { global: { count: 1 } as Record<string, unknown>, node: {} as Record<string, unknown> };
    return { statics, scope: { staticData: (kind: 'global' | 'node') => statics[kind] } };
  };

  it('is stored where the code changed it', async () => {
    const { statics, scope } = withStatics();
    const code = `const data = $getWorkflowStaticData('global'); data.count++; data.big = 2n; data.f = () => 1;
      $getWorkflowStaticData('node').seen = ['a']; return 1`;
    await sandbox.run(code, { scope });
    expect(statics).toEqual({ global: { count: 2, big: '2' }, node: { seen: ['a'] } });
  });

  it('is stored also when the code fails afterwards', async () => {
    const { statics, scope } = withStatics();
    await sandbox.run("delete $getWorkflowStaticData('global').count; throw new Error('later')", { scope });
    expect(statics.global).toEqual({});
  });

  it('has two kinds', async () => {
    expect(await sandbox.run("$getWorkflowStaticData('other')")).toEqual({
      error: 'The type "other" is not supported: use "global" or "node" [line 1]',
    });
  });
});

describe('custom data', () => {
  const withData = () => ({
    execution: {
      id: '1',
      mode: 'production' as const,
      resumeUrl: '',
      resumeFormUrl: '',
      customData: { before: 'b' } as Record<string, string>,
    },
  });

  it('is text, cut at 512 characters', async () => {
    const scope = withData();
    const code = `const { customData } = $execution; customData.setAll({ n: 5, long: 'x'.repeat(600) });
      return [customData.get('n'), customData.get('before'), Object.keys(customData.getAll())]`;
    expect(await sandbox.run(code, { scope })).toEqual(['5', 'b', ['before', 'n', 'long']]);
    expect(scope.execution.customData).toEqual({ before: 'b', n: '5', long: 'x'.repeat(512) });
  });

  it.each(["''", "'a b'", "'x'.repeat(51)", '5', 'null'])('refuses the key %s', async (key) => {
    const scope = withData();
    const code = `$execution.customData.set(${key}, 1)`;
    expect(await sandbox.run(code, { scope })).toEqual({
      error: expect.stringContaining('Custom data keys are'),
    });
    expect(scope.execution.customData).toEqual({ before: 'b' });
  });
});
