import { beforeEach, describe, expect, it } from 'vitest';
import { ProgressState } from './progress-state.ts';

let now: number;
let state: ProgressState;
beforeEach(() => {
  now = 1_000_000;
  state = new ProgressState('p', () => now);
});
const nodes = () => state.message()?.nodes as Map<string, Record<string, unknown>> | undefined;

describe('ProgressState', () => {
  it('describes every started node, in their order', () => {
    state.set('b', { value: 1, max: 4, state: 'running' });
    state.set('a', { value: 0, max: 1, state: 'running' });
    expect(state.message()).toEqual({
      prompt_id: 'p',
      nodes: new Map([
        [
          'b',
          {
            value: 1,
            max: 4,
            state: 'running',
            node_id: 'b',
            prompt_id: 'p',
            display_node_id: 'b',
            parent_node_id: null,
            real_node_id: 'b',
          },
        ],
        ['a', expect.objectContaining({ value: 0, node_id: 'a' })],
      ]),
    });
  });

  it('finishes a node at its last maximum, or at 1', () => {
    state.set('a', { value: 1, max: 4, state: 'running' });
    state.finish('a');
    state.finish('b');
    expect(nodes()!.get('a')).toMatchObject({ value: 4, max: 4, state: 'finished' });
    expect(nodes()!.get('b')).toMatchObject({ value: 1, max: 1, state: 'finished' });
  });

  it('reports up to 100 nodes each time', () => {
    for (let id = 0; id < 100; id++) state.finish(String(id));
    expect(nodes()!.size).toBe(100);
    expect(nodes()!.size).toBe(100);
  });

  it('reports more nodes after a pause of 0.3 ms for each', () => {
    for (let id = 0; id < 200; id++) state.finish(String(id));
    expect(nodes()!.size).toBe(200);
    now += 59;
    expect(nodes()).toBeUndefined();
    now += 1;
    expect(nodes()!.size).toBe(200);
    expect(nodes()).toBeUndefined();
  });
});
