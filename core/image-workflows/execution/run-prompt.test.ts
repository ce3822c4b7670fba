import { beforeEach, describe, expect, it } from 'vitest';
import type { GraphJson } from '#test/support/image-workflows/prompt-fixtures.ts';
import {
  PromptRunFixture,
  printNode,
  showNode,
  value,
} from '#test/support/image-workflows/prompt-run-fixture.ts';
import type { PythonValue } from '../python/python-value.ts';

let prompts: PromptRunFixture;
beforeEach(() => {
  prompts = new PromptRunFixture();
});

const graph = { '1': value(5), '2': showNode('1') };

describe('a prompt that succeeds', () => {
  it('runs its nodes and returns what they show', async () => {
    const { outcome, shown, events } = await prompts.run(graph);
    expect([outcome, prompts.ran]).toEqual(['success', ['1', '2']]);
    expect([...shown]).toEqual([['2', { ui: { text: ['5'] }, ranAs: '2' }]]);
    expect(events.records).toEqual([
      ['execution_start', { prompt_id: 'p', timestamp: expect.any(Number) }],
      ['execution_cached', { nodes: [], prompt_id: 'p', timestamp: expect.any(Number) }],
      ['execution_success', { prompt_id: 'p', timestamp: expect.any(Number) }],
    ]);
  });

  it('reports each node from its start to its end', async () => {
    const { client } = await prompts.run(graph);
    expect(client.messages.map(({ type, data }) => [type, data.node])).toEqual([
      ['execution_start', undefined],
      ['execution_cached', undefined],
      ['progress_state', undefined],
      ['executing', '1'],
      ['progress_state', undefined],
      ['progress_state', undefined],
      ['executing', '2'],
      ['executed', '2'],
      ['progress_state', undefined],
      ['execution_success', undefined],
    ]);
  });

  it('shows nodes that are not outputs when they ran, in the order of the graph', async () => {
    const json = { '3': showNode('2'), '2': printNode('1'), '1': value(4) };
    expect([...(await prompts.run(json)).shown.keys()]).toEqual(['2', '3']);
    // Their cached results show nothing.
    expect([...(await prompts.run({ ...json, '4': { class_type: 'Silent' } })).shown.keys()]).toEqual(['3']);
  });

  it('runs the requested outputs only', async () => {
    await prompts.run({ ...graph, '3': value(6), '4': showNode('3') }, { outputs: ['4'] });
    expect(prompts.ran).toEqual(['3', '4']);
  });

  it('sends no `executed` for a node without anything to show', async () => {
    const { shown, client } = await prompts.run({
      '1': value(1),
      '2': { class_type: 'Silent', inputs: { value: ['1', 0] } },
    });
    expect([shown.size, prompts.ran]).toEqual([0, ['1', '2']]);
    expect(client.types()).not.toContain('executed');
  });
});

describe('cached results', () => {
  it('are reported, not run again, and outputs among them still send `executed`', async () => {
    await prompts.run(graph);
    const { records, client, shown } = await prompts.run({ x: value(5), y: showNode('x') });
    expect(prompts.ran).toEqual(['1', '2']);
    expect(records.execution_cached).toMatchObject({ nodes: ['x', 'y'] });
    expect(client.types()).toEqual([
      ...['execution_start', 'execution_cached', 'executed', 'progress_state', 'execution_success'],
    ]);
    expect(client.messages[2]!.data).toMatchObject({ node: 'y', output: { text: ['5'] } });
    expect(client.messages[3]!.data.nodes.y).toMatchObject({ state: 'finished' });
    expect([...shown]).toEqual([['y', { ui: { text: ['5'] }, ranAs: '2' }]]);
  });

  it('feed the nodes that changed', async () => {
    await prompts.run(graph);
    const { records, shown } = await prompts.run({
      '1': value(5),
      '2': showNode('1'),
      '3': printNode('1'),
      '4': showNode('3'),
    });
    expect(prompts.ran).toEqual(['1', '2', '3', '4']);
    expect(records.execution_cached).toMatchObject({ nodes: ['1', '2'] });
    expect(shown.get('4')!.ui).toEqual({ text: ['5'] });
  });

  it('of outputs that show nothing send `executed` with null', async () => {
    const json = { '1': { class_type: 'Silent' } };
    await prompts.run(json);
    const { client } = await prompts.run(json);
    expect(client.messages.find(({ type }) => type === 'executed')!.data.output).toBeNull();
  });

  it('depend on fingerprints, which see literals alone', async () => {
    const file = (name: string) => ({
      '1': value(1),
      '2': { class_type: 'File', inputs: { name, number: 3, other: ['1', 0] } },
      '3': showNode('2'),
    });
    const { services } = await prompts.run(file('a'));
    await prompts.run(file('a'));
    expect(prompts.ran).toEqual(['1', '2', '3']);
    await prompts.run(file('b'));
    expect(prompts.ran).toEqual(['1', '2', '3', '2', '3']);
    expect(prompts.fingerprints[0]!.values).toStrictEqual({ name: 'a', number: 3 });
    expect(prompts.fingerprints[0]!.context).toMatchObject({ host: services.host, files: services.files });
  });

  it('are not used for a node whose fingerprint fails; the node itself reports the reason', async () => {
    const json = { '2': { class_type: 'File', inputs: { name: 'missing', number: 3 } }, '3': showNode('2') };
    expect((await prompts.run(json)).outcome).toBe('success');
    await prompts.run(json);
    expect(prompts.ran).toEqual(['2', '3', '2', '3']);
  });
});

describe('lazy inputs', () => {
  const choose = (second: number) => ({
    a: value(10),
    b: value(20),
    c: { class_type: 'Choose', inputs: { second, a: ['a', 0], b: ['b', 0] } },
    s: showNode('c'),
  });

  it('run only what the node needs, and start the node again', async () => {
    const { shown, client } = await prompts.run(choose(1));
    expect(prompts.ran).toEqual(['b', 'c', 's']);
    expect(shown.get('s')!.ui).toEqual({ text: ['20'] });
    const started = client.messages.filter(({ type }) => type === 'executing').map(({ data }) => data.node);
    expect(started).toEqual(['c', 'b', 'c', 's']);
  });

  it('may be requested one after another', async () => {
    const { shown } = await prompts.run(choose(2));
    expect(prompts.ran).toEqual(['a', 'b', 'c', 's']);
    expect(shown.get('s')!.ui).toEqual({ text: ['30'] });
  });

  it('need not exist in the graph, and may be literals', async () => {
    const { shown } = await prompts.run({
      c: { class_type: 'Choose', inputs: { second: 0, a: 7 } },
      s: showNode('c'),
    });
    expect(shown.get('s')!.ui).toEqual({ text: ['7'] });
  });

  it('take a cached result', async () => {
    await prompts.run({ ...choose(1), t: showNode('b') });
    prompts.ran.length = 0;
    await prompts.run({ ...choose(2), t: showNode('b') });
    expect(prompts.ran).toEqual(['a', 'c', 's']);
  });
});

describe('the texts for files', () => {
  const workflow = new Map<string, PythonValue>([['id', 1]]);
  const extraData = new Map<string, PythonValue>([
    [
      'extra_pnginfo',
      new Map<string, PythonValue>([
        ['workflow', workflow],
        ['name', 'é'],
      ]),
    ],
  ]);

  it('go to nodes that ask for them', async () => {
    await prompts.run(graph, { extraData, graphJson: '{"as": "it runs"}' });
    const [plain, asking] = prompts.contexts;
    expect(asking).toMatchObject({
      promptJson: '{"as": "it runs"}',
      extraTexts: { workflow: '{"id": 1.0}', name: '"\\u00e9"' },
      promptId: 'p',
    });
    expect(plain).toMatchObject({ promptJson: undefined, extraTexts: {} });
  });

  it('are empty when the client sent none', async () => {
    await prompts.run(graph, { extraData: new Map([['extra_pnginfo', 'x']]) });
    expect(prompts.contexts[1]!.extraTexts).toEqual({});
  });
});

it('yields between nodes, so that other work continues', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const chain: GraphJson = { '0': value(0) };
  for (let id = 1; id < 3000; id++) chain[id] = printNode(String(id - 1));
  chain.out = showNode('2999');
  expect((await prompts.run(chain)).outcome).toBe('success');
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
});
