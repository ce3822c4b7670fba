import { describe, expect, it } from 'vitest';
import { type GraphJson, graphOf } from '#test/support/image-workflows/prompt-fixtures.ts';
import { int, lazy, optional } from '../nodes/kernel/inputs.ts';
import { node, output } from '../nodes/kernel/node-type.ts';
import { DependencyCycle, NodeSchedule } from './node-schedule.ts';

/** Inputs of the test's nodes, and of the nodes in ComfyUI's default graph. */
const names = ['a', 'b', 'model', 'positive', 'negative', 'latent_image', 'clip', 'samples', 'vae', 'images'];
const declare = (name: string, isOutput = false) =>
  node({
    name,
    category: 'test',
    module: 'test',
    isOutput,
    inputs: Object.fromEntries([...names.map((name) => [name, optional(int())]), ['lazy', lazy(int())]]),
    outputs: [output('INT')],
    run: () => [],
  });
const types = new Map([
  ['Node', declare('Node')],
  ['Out', declare('Out', true)],
]);
const source = (inputs: Record<string, unknown> = {}) => ({ class_type: 'Node', inputs });
const out = (inputs: Record<string, unknown> = {}) => ({ class_type: 'Out', inputs });

function scheduleOf(json: GraphJson, done: readonly string[] = []) {
  const graph = graphOf(json);
  const typeOf = (id: string) => types.get(graph.get(id)!.className)!;
  return new NodeSchedule(graph, typeOf, (id) => done.includes(id));
}

function runAll(schedule: NodeSchedule): string[] {
  const order: string[] = [];
  while (!schedule.isEmpty) {
    order.push(schedule.next());
    schedule.finish(order.at(-1)!);
  }
  return order;
}

describe('NodeSchedule', () => {
  it('orders ComfyUI’s default graph as ComfyUI does', () => {
    const sampler = { model: ['4', 0], positive: ['6', 0], negative: ['7', 0], latent_image: ['5', 0] };
    const schedule = scheduleOf({
      '3': source(sampler),
      '4': source(),
      '5': source(),
      '6': source({ clip: ['4', 1] }),
      '7': source({ clip: ['4', 1] }),
      '8': source({ samples: ['3', 0], vae: ['4', 2] }),
      '9': out({ images: ['8', 0] }),
    });
    schedule.add('9');
    // The model is two links from the output; of the others, the walk reaches the last link first.
    expect(runAll(schedule)).toEqual(['4', '5', '7', '6', '3', '8', '9']);
  });

  it('runs the sources of an output alone', () => {
    const schedule = scheduleOf({ '1': source(), '2': source(), '3': out({ a: ['2', 0] }) });
    expect(schedule.isEmpty).toBe(true);
    schedule.add('3');
    expect(schedule.isEmpty).toBe(false);
    expect(runAll(schedule)).toEqual(['2', '3']);
  });

  it('adds a node once, with two outputs that share it', () => {
    const schedule = scheduleOf({ '1': source(), '2': out({ a: ['1', 0] }), '3': out({ a: ['1', 0] }) });
    schedule.add('2');
    schedule.add('3');
    expect(runAll(schedule)).toEqual(['1', '2', '3']);
  });

  it('waits for all sources of a node', () => {
    const schedule = scheduleOf({ '1': source(), '2': source(), '3': out({ a: ['1', 0], b: ['2', 0] }) });
    schedule.add('3');
    const first = schedule.next();
    schedule.finish(first);
    expect(first).toBe('2');
    expect(schedule.next()).toBe('1');
  });

  it('returns the same node until it has finished', () => {
    const schedule = scheduleOf({ '1': out() });
    schedule.add('1');
    expect([schedule.next(), schedule.next()]).toEqual(['1', '1']);
  });

  it('does not wait for sources that are done', () => {
    const graph = { '1': source(), '2': source({ a: ['1', 0] }), '3': out({ a: ['2', 0] }) };
    const schedule = scheduleOf(graph, ['2']);
    schedule.add('3');
    expect(runAll(schedule)).toEqual(['3']);
  });

  it('prefers ready outputs, then their sources, then the sources of those', () => {
    const schedule = scheduleOf({
      far: source(),
      x: source({ a: ['far', 0] }),
      two: source({ a: ['x', 0] }),
      one: source({ a: ['two', 0] }),
      deep: out({ a: ['one', 0] }),
      near: source(),
      mid: source({ a: ['near', 0] }),
      shallow: out({ a: ['mid', 0] }),
      direct: source(),
      last: out({ a: ['direct', 0] }),
      alone: out(),
    });
    for (const id of ['deep', 'shallow', 'last', 'alone']) schedule.add(id);
    expect(runAll(schedule)).toEqual([
      ...['alone', 'direct', 'last', 'near', 'mid', 'shallow'],
      ...['far', 'x', 'two', 'one', 'deep'],
    ]);
  });

  it('runs the node first that the walk reached first, among nodes of one rank', () => {
    const schedule = scheduleOf({
      shared: source(),
      late: source({ a: ['shared', 0] }),
      early: source(),
      out: out({ a: ['early', 0], b: ['late', 0], model: ['shared', 0] }),
    });
    schedule.add('out');
    // `early` is ready before `late`, but the walk begins at the last link.
    expect(runAll(schedule)).toEqual(['shared', 'late', 'early', 'out']);
  });

  it('prefers a better rank to an earlier place in the walk', () => {
    const schedule = scheduleOf({
      '1': source(),
      '2': source({ a: ['1', 0] }),
      '3': source({ a: ['2', 0] }),
      '4': source({ a: ['3', 0] }),
      '5': out({ a: ['4', 0] }),
      direct: source(),
      last: out({ a: ['direct', 0] }),
    });
    schedule.add('5');
    schedule.add('last');
    schedule.finish('1');
    expect(schedule.next()).toBe('direct');
  });

  it('ignores links of inputs that the node does not have', () => {
    const schedule = scheduleOf({ '1': source(), '2': out({ other: ['1', 0] }) });
    schedule.add('2');
    expect(runAll(schedule)).toEqual(['2']);
  });

  describe('lazy inputs', () => {
    const graph = { '1': source(), '2': source(), '3': out({ a: ['1', 0], lazy: ['2', 0] }) };

    it('stay out until their source is added', () => {
      const schedule = scheduleOf(graph);
      schedule.add('3');
      expect(runAll(schedule)).toEqual(['1', '3']);
    });

    it('make the node wait for their source', () => {
      const schedule = scheduleOf(graph);
      schedule.add('3');
      schedule.finish('1');
      expect(schedule.next()).toBe('3');
      schedule.addSource('3', '2');
      expect(schedule.next()).toBe('2');
      schedule.finish('2');
      expect(schedule.next()).toBe('3');
    });

    it('do not make the node wait for a source that is done', () => {
      const schedule = scheduleOf(graph, ['2']);
      schedule.add('3');
      schedule.finish('1');
      schedule.addSource('3', '2');
      expect(runAll(schedule)).toEqual(['3']);
    });
  });

  it('reports nodes that wait for one another', () => {
    const schedule = scheduleOf({
      '1': source({ a: ['2', 0] }),
      '2': source({ a: ['1', 0] }),
      '3': out({ a: ['1', 0] }),
    });
    schedule.add('3');
    expect(() => schedule.next()).toThrow(DependencyCycle);
    expect(() => schedule.next()).toThrow('Dependency cycle detected');
    expect(schedule.isEmpty).toBe(false);
  });

  it('adds a chain of 100,000 nodes', () => {
    const chain: GraphJson = { '0': source() };
    for (let id = 1; id < 100_000; id++) chain[id] = source({ a: [String(id - 1), 0] });
    const schedule = scheduleOf(chain);
    schedule.add('99999');
    expect(schedule.next()).toBe('0');
  });
});
