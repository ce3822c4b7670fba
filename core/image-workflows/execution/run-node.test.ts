import { describe, expect, it } from 'vitest';
import { type GraphJson, graphOf } from '#test/support/image-workflows/prompt-fixtures.ts';
import { anyOf, boolean, choice, float, type Input, int, int64, string } from '../nodes/kernel/inputs.ts';
import type { NodeContext } from '../nodes/kernel/node-context.ts';
import { type AnyNode, type NodeType, node, output } from '../nodes/kernel/node-type.ts';
import type { NodeOutputs } from './result-cache.ts';
import { gatherInputs, type InputLists, InvalidInput, runNode, toRows } from './run-node.ts';

type Inputs = Record<string, Input<unknown, boolean>>;
const declare = (inputs: Inputs, more: Partial<NodeType<Inputs>> = {}): AnyNode =>
  node<Inputs>({ name: 'N', category: 'test', module: 'test', inputs, outputs: [], run: () => [], ...more });
const nodeWith = (inputs: Record<string, unknown>) =>
  graphOf({ '1': { class_type: 'N', inputs } } as GraphJson).get('1')!;
const context = (signal = new AbortController().signal) => ({ signal, files: {} }) as NodeContext;

/** Runs a node and returns the values of each call. */
async function callsOf(type: AnyNode, lists: InputLists, inputs: Record<string, unknown> = {}) {
  const calls: unknown[] = [];
  const run = (values: unknown) => {
    calls.push(values);
    return [];
  };
  await runNode(nodeWith(inputs), { ...type, run }, lists, context());
  return calls;
}

describe('gatherInputs', () => {
  const type = declare({ a: int(), b: int(), c: int() });
  const results: Record<string, NodeOutputs> = { '7': { outputs: [[1], [2, 3]] } };
  const gather = (inputs: Record<string, unknown>) =>
    gatherInputs(nodeWith(inputs), type, (id) => results[id]);

  it('takes literals as lists of one value, and links as lists of the output', () => {
    expect(gather({ a: 5, b: ['7', 1], c: ['7', -2] })).toEqual({ a: [5n], b: [2, 3], c: [1] });
  });

  it('leaves out inputs without a value, and names that the node does not have', () => {
    expect(gather({ a: ['8', 0], b: ['7', 9], other: 1 })).toEqual({});
  });

  it('reads a node without inputs', () => {
    const [bare] = graphOf({ '1': { class_type: 'N' } }).values();
    expect(gatherInputs(bare!, type, () => undefined)).toEqual({});
  });
});

describe('toRows', () => {
  it.each([
    [{}, [{}]],
    [{ a: [1] }, [{ a: 1 }]],
    [
      { a: [1, 2, 3], b: [4, 5], c: [6] },
      [
        { a: 1, b: 4, c: 6 },
        { a: 2, b: 5, c: 6 },
        { a: 3, b: 5, c: 6 },
      ],
    ],
    [{ a: [1, 2], b: [] }, []],
  ])('%j becomes %j', (lists, rows) => {
    expect(toRows(lists)).toEqual(rows);
  });
});

describe('runNode', () => {
  it('calls the node once for each row, and once without inputs', async () => {
    const type = declare({ a: int(), b: string() });
    expect(await callsOf(type, { a: [1n, 2n], b: ['x'] })).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'x' },
    ]);
    expect(await callsOf(type, {})).toEqual([{}]);
    expect(await callsOf(type, { a: [] })).toEqual([]);
  });

  it('calls a node that takes lists once, with whole lists', async () => {
    const type = declare({ a: int(), b: string() }, { inputsAreLists: true });
    expect(await callsOf(type, { a: [1n, 2n], b: [] })).toEqual([{ a: [1, 2], b: [] }]);
  });

  it('gives numbers in the form that each input declares', async () => {
    const type = declare({ i: int(), seed: int64(), f: float(), any: anyOf('*'), b: boolean() });
    const big = 2n ** 63n;
    expect(await callsOf(type, { i: [3n], seed: [big], f: [2n], any: [big], b: [true] })).toEqual([
      { i: 3, seed: big, f: 2, any: big, b: true },
    ]);
    expect(await callsOf(type, { i: [3.7], seed: [3.7], f: [2.5], any: [1.5] })).toEqual([
      { i: 3, seed: 3n, f: 2.5, any: 1.5 },
    ]);
    expect(await callsOf(type, { i: [true], seed: [false] })).toEqual([{ i: 1, seed: 0n }]);
  });

  it('joins outputs and shown items of all calls, with exact integers', async () => {
    const type = declare(
      { a: int() },
      { outputs: [output('INT'), output('FLOAT', undefined, { list: true })] },
    );
    const run = ({ a }: { a: number }) =>
      a === 2 ? [a, [a, a + 0.5]] : { outputs: [a, [a]], ui: { text: [`t${a}`], images: [a] } };
    expect(await runNode(nodeWith({}), { ...type, run }, { a: [1n, 2n, 3n] }, context())).toEqual({
      outputs: [
        [1n, 2n, 3n],
        [1, 2, 2.5, 3],
      ],
      ui: { text: ['t1', 't3'], images: [1, 3] },
    });
  });

  it('returns no shown items when the node shows none', async () => {
    const type = declare({}, { outputs: [output('INT')], run: () => ({ outputs: [1] }) });
    expect(await runNode(nodeWith({}), type, {}, context())).toEqual({ outputs: [[1n]] });
    const silent = declare({}, { outputs: [output('STRING')], run: () => ({}) });
    expect(await runNode(nodeWith({}), silent, {}, context())).toEqual({ outputs: [[undefined]] });
  });

  it('stops between two calls when the signal aborts', async () => {
    const controller = new AbortController();
    let calls = 0;
    const type = declare(
      { a: int() },
      {
        run: () => {
          if (++calls === 2) controller.abort(new Error('interrupted'));
          return [];
        },
      },
    );
    const run = runNode(nodeWith({}), type, { a: [1n, 2n, 3n] }, context(controller.signal));
    await expect(run).rejects.toThrow('interrupted');
    expect(calls).toBe(2);
  });
});

describe('literals that validation accepts', () => {
  const check = (type: AnyNode, inputs: Record<string, unknown>) =>
    runNode(nodeWith(inputs), type, {}, context());

  it.each([
    ['IMAGE', 'a takes an IMAGE from another node: link it to an output, as ["node id", output number]'],
    ['MASK', 'a takes a MASK from another node'],
    ['IMAGE, LATENT', 'a takes an IMAGE, LATENT from another node'],
  ])('are refused for %s', async (type, message) => {
    const error = await check(declare({ a: anyOf(type) }), { a: 'x' }).catch((cause) => cause);
    expect(error).toBeInstanceOf(InvalidInput);
    expect(error.name).toBe('ValueError');
    expect(error.message).toContain(message);
  });

  it.each([
    ...['INT', 'FLOAT', 'FLOATS', 'STRING', 'BOOLEAN', 'COMBO', '*', 'IMAGE,FLOAT', 'IMAGE, STRING'],
    ...['WEBCAM', 'AUDIO_RECORD', 'LOAD_3D', 'LOAD_3D_ANIMATION', 'LOAD3D_CAMERA'],
  ])('are taken for %s', async (type) => {
    await expect(check(declare({ a: anyOf(type) }), { a: 'x' })).resolves.toBeDefined();
  });

  it('do not matter where a link or nothing is', async () => {
    const type = declare({ a: anyOf('IMAGE'), b: anyOf('IMAGE') });
    await expect(check(type, { a: ['2', 0] })).resolves.toBeDefined();
  });

  it('must be among the choices of modern nodes, which validation does not check', async () => {
    const modern = declare({ a: choice(['x', 'y']), b: choice(async () => ['f1']) }, { modern: true });
    await expect(check(modern, { a: 'y', b: 'f1' })).resolves.toBeDefined();
    await expect(check(modern, { a: 'z' })).rejects.toThrow('a is "z", which is not one of: x, y');
    await expect(check(modern, { b: 'f2' })).rejects.toThrow('b is "f2", which is not one of: f1');
    await expect(check(declare({ a: int() }, { modern: true }), { a: 5 })).resolves.toBeDefined();
    await expect(check(declare({ a: choice(['x']) }), { a: 'z' })).resolves.toBeDefined();
  });

  it('may be other names when the node has a check of its own', async () => {
    const validate = { inputs: ['a'], check: () => true as const };
    const own = declare({ a: choice(['x']), b: choice(['x']) }, { modern: true, validate });
    await expect(check(own, { a: 'z' })).resolves.toBeDefined();
    await expect(check(own, { b: 'z' })).rejects.toThrow('b is "z"');
  });
});
