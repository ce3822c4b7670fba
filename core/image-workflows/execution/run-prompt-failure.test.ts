import { beforeEach, describe, expect, it } from 'vitest';
import {
  PromptRunFixture,
  printNode,
  showNode,
  value,
} from '#test/support/image-workflows/prompt-run-fixture.ts';

let prompts: PromptRunFixture;
beforeEach(() => {
  prompts = new PromptRunFixture();
});

const graph = { '1': value(5), '2': showNode('1') };

describe('a prompt that fails', () => {
  it('reports the node, its inputs and what ran before', async () => {
    prompts.onRun = (id) => {
      if (id === '2') throw new RangeError('too much');
    };
    const { outcome, records, types, shown, services } = await prompts.run({ ...graph, '9': value(1) });
    expect([outcome, shown.size]).toEqual(['error', 0]);
    expect(types).toEqual(['execution_start', 'execution_cached', 'execution_error']);
    expect(records.execution_error).toMatchObject({
      prompt_id: 'p',
      node_id: '2',
      node_type: 'Show',
      executed: ['1'],
      exception_message: 'too much\n',
      exception_type: 'ValueError',
      current_inputs: { value: [5n] },
      current_outputs: ['1', '2', '9'],
    });
    expect(services.host.logged).toContainEqual({
      level: 'warn',
      message: 'a prompt failed',
      fields: { prompt: 'p', node: 'Show', error: 'RangeError: too much' },
    });
  });

  it('keeps the results of the nodes that finished', async () => {
    prompts.onRun = (id) => {
      if (id === '2') throw new Error('x');
    };
    await prompts.run(graph);
    prompts.onRun = () => {};
    const { records } = await prompts.run(graph);
    expect(prompts.ran).toEqual(['1', '2', '2']);
    expect(records.execution_cached).toMatchObject({ nodes: ['1'] });
  });

  it('names no node for a cycle', async () => {
    const cycle = {
      '1': printNode('2'),
      '2': printNode('1'),
      '3': showNode('1'),
    };
    const { outcome, records } = await prompts.run(cycle);
    expect(outcome).toBe('error');
    expect(records.execution_error).toMatchObject({
      node_id: null,
      node_type: null,
      executed: [],
      exception_message: 'Dependency cycle detected',
      current_inputs: [],
    });
  });
});

describe('an interrupt', () => {
  it('ends the prompt at the running node', async () => {
    const controller = new AbortController();
    prompts.onRun = (id, signal) => {
      if (id !== '2') return;
      controller.abort(new Error('stop'));
      signal.throwIfAborted();
    };
    const { outcome, records, types, services } = await prompts.run(graph, { signal: controller.signal });
    expect(outcome).toBe('interrupted');
    expect(types.at(-1)).toBe('execution_interrupted');
    expect(records.execution_interrupted).toEqual({
      prompt_id: 'p',
      node_id: '2',
      node_type: 'Show',
      executed: ['1'],
      timestamp: expect.any(Number),
    });
    expect(services.host.logged).toEqual([]);
  });

  it('discards the result of a node that ignores it', async () => {
    const controller = new AbortController();
    prompts.onRun = () => controller.abort();
    const { outcome, shown } = await prompts.run(graph, { signal: controller.signal });
    expect([outcome, prompts.ran, shown.size]).toEqual(['interrupted', ['1'], 0]);
    prompts.onRun = () => {};
    expect((await prompts.run(graph)).records.execution_cached).toMatchObject({ nodes: [] });
  });

  it('before the first node lets none run', async () => {
    const { outcome, records } = await prompts.run(graph, { signal: AbortSignal.abort() });
    expect([outcome, prompts.ran]).toEqual(['interrupted', []]);
    expect(records.execution_interrupted).toMatchObject({ node_id: '1', executed: [] });
  });
});
