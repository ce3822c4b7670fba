import { afterEach, describe, expect, it } from 'vitest';
import { createTestHost } from '#test/support/host/test-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { customNodesOf, importCustomNodes } from './custom-nodes.ts';

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

const shout = {
  name: 'Shout',
  inputs: {
    times: ['INT', { default: 1, min: 1, max: 10, optional: true }],
    text: ['STRING', { multiline: true }],
    mode: [['up', 'down']],
  },
  outputs: ['STRING'],
  run: ({ text, mode, times = 1 }: { text: string; mode: string; times?: number }) => [
    (mode === 'up' ? text.toUpperCase() : text.toLowerCase()) + '!'.repeat(times),
  ],
};

describe('custom nodes', () => {
  it('are described, validated and run as built-in nodes', async () => {
    const server = imageServer({ customNodes: customNodesOf({ default: shout }) });
    close = () => server.close();
    const info = (await (await server.ask('GET', '/object_info/Shout')).json()) as Record<string, unknown>;
    expect(info.Shout).toMatchObject({
      display_name: 'Shout',
      category: 'own',
      input: {
        required: { text: ['STRING', { multiline: true }], mode: [['up', 'down'], {}] },
        optional: { times: ['INT', { default: 1, min: 1, max: 10 }] },
      },
      output: ['STRING'],
    });
    const graph = (inputs: object) => ({
      1: { class_type: 'Shout', inputs: { text: 'Hey', mode: 'up', ...inputs } },
      2: { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
    });
    expect((await server.run(graph({ times: 2 }))).entry.outputs['2']!.text).toEqual(['HEY!!']);
    expect((await server.run(graph({ mode: 'down' }))).entry.outputs['2']!.text).toEqual(['hey!']);
    expect((await server.submit(graph({ times: 11 }))).status).toBe(400);
  });

  it.each([
    [{}, 'exports no node'],
    [{ default: { run() {} } }, 'needs a name'],
    [{ default: { name: 'X' } }, 'node X needs a function run'],
    [
      { default: { ...shout, inputs: { text: 'STRING' } } },
      "input text of node Shout must be written as ['TYPE'",
    ],
    [{ nodes: [shout, { ...shout, outputs: [1] }] }, 'an output of node Shout'],
  ])('are refused with the reason: %j', (module, message) => {
    expect(() => customNodesOf(module)).toThrow(message);
  });

  it('that cannot be loaded are skipped and logged', async () => {
    const host = createTestHost();
    const load = async (name: string) => {
      if (name === 'missing.js') throw new Error('there is no such file');
      return { default: shout };
    };
    const imported = await importCustomNodes(' missing.js, shout.js,', load, host.log);
    expect(imported.map(({ name }) => name)).toEqual(['Shout']);
    expect(host.logged).toMatchObject([{ level: 'error', fields: { file: 'missing.js' } }]);
    expect(await importCustomNodes(undefined, load, host.log)).toEqual([]);
  });
});
