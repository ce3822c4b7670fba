import { beforeEach, describe, expect, it } from 'vitest';
import { type GraphJson, graphOf } from '#test/support/image-workflows/prompt-fixtures.ts';
import { type AnyNode, type NodeType, node, output } from '../nodes/kernel/node-type.ts';
import { type ReadFingerprint, ResultCache } from './result-cache.ts';

const declare = (name: string, more: Partial<NodeType> = {}) =>
  node({
    name,
    category: 'test',
    module: 'test',
    inputs: {},
    outputs: [output('INT')],
    run: () => [],
    ...more,
  });
const types: Record<string, AnyNode> = {
  A: declare('A'),
  B: declare('B'),
  File: declare('File', { fingerprint: () => '' }),
  Own: declare('Own', { notIdempotent: true }),
  Id: declare('Id', { hidden: { unique_id: 'UNIQUE_ID' } }),
  Prompt: declare('Prompt', { hidden: { prompt: 'PROMPT' } }),
};
let cache: ResultCache;
beforeEach(() => {
  cache = new ResultCache();
});

const keysOf = async (json: GraphJson, read: ReadFingerprint = async () => 'unused') =>
  cache.assignKeys(graphOf(json), ({ className }) => types[className]!, read);
/** The key of one node in a graph of its own. */
const keyOf = async (class_type: string, inputs: Record<string, unknown>, id = '1') =>
  (await keysOf({ [id]: { class_type, inputs } })).get(id)!;

describe('keys', () => {
  it('are equal for equal nodes, whatever their ids and the order of their inputs', async () => {
    const keys = await keysOf({
      '1': { class_type: 'A', inputs: { x: 1, y: 'z' } },
      '2': { class_type: 'A', inputs: { y: 'z', x: 1 } },
    });
    expect(keys.get('1')).toBe(keys.get('2'));
    expect(await keyOf('A', { x: 1, y: 'z' }, 'other')).toBe(keys.get('1'));
  });

  it.each([
    ['another class', 'B', { x: 1 }],
    ['another value', 'A', { x: 2 }],
    ['a float instead of an int', 'A', { x: 1.5 }],
    ['a string instead of a number', 'A', { x: '1' }],
    ['another name', 'A', { y: 1 }],
    ['a further input', 'A', { x: 1, y: 2 }],
    ['no input', 'A', {}],
  ])('differ for %s', async (_, class_type, inputs) => {
    const first = await keyOf('A', { x: 1 });
    expect(await keyOf(class_type, inputs)).not.toBe(first);
  });

  it('do not confuse a literal with another input’s text', async () => {
    const first = await keyOf('A', { a: 'x', b: 'y' });
    expect(await keyOf('A', { a: 'x"\0b="y' })).not.toBe(first);
    expect(await keyOf('A', { 'a="x"b': 'y' })).not.toBe(first);
  });

  it('contain those of the sources, and the slot of the link', async () => {
    const graph = (value: number, slot: number): GraphJson => ({
      '2': { class_type: 'B', inputs: { in: ['1', slot] } },
      '1': { class_type: 'A', inputs: { value } },
    });
    const key = (await keysOf(graph(1, 0))).get('2');
    expect((await keysOf(graph(1, 0))).get('2')).toBe(key);
    expect((await keysOf(graph(2, 0))).get('2')).not.toBe(key);
    expect((await keysOf(graph(1, 1))).get('2')).not.toBe(key);
  });

  it('contain the id of nodes that depend on it', async () => {
    for (const class_type of ['Own', 'Id']) {
      const first = await keyOf(class_type, {}, '1');
      expect(await keyOf(class_type, {}, '1')).toBe(first);
      expect(await keyOf(class_type, {}, '2')).not.toBe(first);
    }
    expect(await keyOf('Prompt', {}, '2')).toBe(await keyOf('Prompt', {}, '1'));
  });

  it('contain the fingerprint, which is read for nodes that have one', async () => {
    const readIds: string[] = [];
    const withPrint = async (print: string | undefined) =>
      (
        await keysOf(
          { f: { class_type: 'File' }, a: { class_type: 'A', inputs: { file: ['f', 0] } } },
          async ({ id }) => {
            readIds.push(id);
            return print;
          },
        )
      ).get('a');
    const first = await withPrint('digest');
    expect(readIds).toEqual(['f']);
    expect(await withPrint('digest')).toBe(first);
    expect(await withPrint('other')).not.toBe(first);
    expect(await withPrint('')).not.toBe(first);
  });

  it('never repeat without a fingerprint, nor those of what follows', async () => {
    const graph: GraphJson = {
      f: { class_type: 'File' },
      a: { class_type: 'A', inputs: { file: ['f', 0] } },
    };
    const first = await keysOf(graph, async () => undefined);
    const second = await keysOf(graph, async () => undefined);
    expect(second.get('f')).not.toBe(first.get('f'));
    expect(second.get('a')).not.toBe(first.get('a'));
  });

  it('never repeat for links to nothing and for cycles', async () => {
    const graph: GraphJson = {
      '1': { class_type: 'A', inputs: { in: ['none', 0] } },
      '2': { class_type: 'A', inputs: { in: ['3', 0] } },
      '3': { class_type: 'A', inputs: { in: ['2', 0] } },
    };
    const [first, second] = [await keysOf(graph), await keysOf(graph)];
    for (const id of ['1', '2', '3']) expect(second.get(id)).not.toBe(first.get(id));
    expect(new Set([...first.values(), ...second.values()]).size).toBe(6);
  });

  it('are forgotten after a prompt without the node', async () => {
    const first = await keyOf('A', { x: 1 });
    await keyOf('B', {});
    expect(await keyOf('A', { x: 1 })).not.toBe(first);
  });
});

describe('results', () => {
  const result = { outputs: [[1]] };

  it('stay while the next prompt can use them', async () => {
    const key = await keyOf('A', { x: 1 });
    expect(cache.get(key)).toBeUndefined();
    cache.put(key, result);
    const keys = await keysOf({ n: { class_type: 'B' }, m: { class_type: 'A', inputs: { x: 1 } } });
    expect(cache.get(keys.get('m')!)).toBe(result);
    expect(cache.get(keys.get('n')!)).toBeUndefined();
  });

  it('are dropped when the next prompt cannot use them', async () => {
    const key = await keyOf('A', { x: 1 });
    cache.put(key, result);
    await keyOf('B', {});
    expect(cache.get(key)).toBeUndefined();
  });

  it('are dropped by clear, with their keys', async () => {
    const key = await keyOf('A', { x: 1 });
    cache.put(key, result);
    cache.clear();
    expect(cache.get(key)).toBeUndefined();
    expect(await keyOf('A', { x: 1 })).not.toBe(key);
  });
});
