import { describe, expect, it } from 'vitest';
import { pairedItemsOf, sampleScope } from '#test/support/webhooks/expression-scope.ts';
import { createExpressions, type ExpressionScript, type ScriptResult } from './create-expressions.ts';

/** Evaluates nothing: the result of a script is the index of its item, unless `answer` says otherwise. */
function open(answer: (script: ExpressionScript) => ScriptResult[] | Promise<ScriptResult[]> = indexes) {
  const scripts: ExpressionScript[] = [];
  const expressions = createExpressions({
    evaluate: async (script) => {
      scripts.push(script);
      return answer(script);
    },
  });
  return { scripts, expressions };
}
const indexes = ({ items, as }: ExpressionScript): ScriptResult[] =>
  items.map(({ index }) => (as === 'text' ? { text: String(index) } : { json: String(index) }));

const manyItems = (count: number) =>
  sampleScope({ inputs: [pairedItemsOf(...Array.from({ length: count }, (_, n) => ({ n })))] });

describe('values', () => {
  it('without expressions come back as they are', async () => {
    const { expressions, scripts } = open();
    const value = { a: [1, 'x'] };
    expect(await expressions.evaluate(value, sampleScope(), 0)).toBe(value);
    expect(scripts).toEqual([]);
  });

  it('have their type, or are part of a text', async () => {
    const { expressions } = open();
    const scope = sampleScope();
    expect(await expressions.evaluate('={{ 1 + 1 }}', scope, 1)).toBe(1);
    expect(await expressions.evaluate('=<{{ 1 + 1 }}|{{ $json.m }}|{{ $json.none }}>', scope, 1)).toBe(
      '<1|80|>',
    );
    expect(await expressions.evaluate({ a: ['={{ $json.m }}', 2] }, scope, 0)).toEqual({ a: [70, 2] });
  });

  it('may refer to another parameter, but not in a circle', async () => {
    const { expressions } = open();
    const scope = sampleScope({ parameters: { a: '={{ $json.m }}', b: '={{ $parameter.b }}' } });
    expect(await expressions.evaluate('={{ $parameter.a }}', scope, 0)).toBe(70);
    expect(await expressions.evaluate('={{ $parameter.b }}', scope, 0)).toBeUndefined();
  });

  it('in the data of items are not evaluated', async () => {
    const { expressions } = open();
    const scope = sampleScope({ inputs: [pairedItemsOf({ evil: '={{ $env.X }}' })] });
    expect(await expressions.evaluate('={{ $json.evil }}', scope, 0)).toBe('={{ $env.X }}');
  });
});

describe('results of scripts', () => {
  it.each([
    [{ json: '{"a":1}' }, { a: 1 }],
    [{ nothing: true }, undefined],
  ] as [ScriptResult, unknown][])('%j', async (result, value) => {
    const { expressions } = open(() => [result]);
    expect(await expressions.evaluate('={{ f() }}', sampleScope(), 0)).toEqual(value);
  });

  it('are errors with the item', async () => {
    const { expressions } = open(() => [{ error: 'bad', description: 'why' }]);
    await expect(expressions.evaluate('={{ f() }}', sampleScope(), 1)).rejects.toMatchObject({
      name: 'ExpressionError',
      message: 'bad',
      description: 'why',
      itemIndex: 1,
    });
    await expect(open().expressions.evaluate('={{ 1 + }}', sampleScope(), 1)).rejects.toMatchObject({
      message: 'invalid syntax',
      itemIndex: 1,
    });
  });
});

describe('batches', () => {
  it('begin with the second item', async () => {
    const { expressions, scripts } = open();
    const scope = manyItems(200);
    for (let index = 0; index < 200; index++) {
      expect(await expressions.evaluate('={{ f() }}', scope, index)).toBe(index);
    }
    expect(scripts.map(({ items }) => items.length)).toEqual([1, 64, 64, 64, 7]);
  });

  it('skip items that have a result', async () => {
    const { expressions, scripts } = open();
    const scope = manyItems(10);
    for (const index of [5, 2, 6]) await expressions.evaluate('={{ f() }}', scope, index);
    expect(scripts.map(({ items }) => items.map(({ index }) => index))).toEqual([
      [5],
      [2, 3, 4],
      [6, 7, 8, 9],
    ]);
  });

  it('are separate for each expression, each scope, and values and texts', async () => {
    const { expressions, scripts } = open();
    const scope = manyItems(2);
    await expressions.evaluate('={{ f() }}', scope, 0);
    await expressions.evaluate('={{ f() }}', scope, 0);
    await expressions.evaluate('= {{ f() }}', scope, 0);
    await expressions.evaluate('={{ g() }}', scope, 0);
    await expressions.evaluate('={{ f() }}', manyItems(2), 0);
    expect(scripts).toHaveLength(4);
  });

  it('that fail reject every item, and are not unhandled for the others', async () => {
    const { expressions } = open(() => Promise.reject(new Error('sandbox')));
    const scope = manyItems(3);
    await expect(expressions.evaluate('={{ f() }}', scope, 0)).rejects.toThrow('sandbox');
    await expect(expressions.evaluate('={{ f() }}', scope, 1)).rejects.toThrow('sandbox');
  });
});
