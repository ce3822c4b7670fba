import { expect, it } from 'vitest';
import { promptOf } from '#test/support/image-workflows/prompt-fixtures.ts';
import type { PythonValue } from '../python/python-value.ts';
import { historyEntryJson, promptJson } from './prompt-json.ts';
import type { ShownOutput } from './run-prompt.ts';

const prompt = promptOf(
  { '2': { class_type: 'A' }, '1': { class_type: 'B' } },
  {
    id: 'é',
    numberJson: '-2.50',
    outputs: ['1'],
    graphJson: '{"2":{"class_type":"A"},"1":{"class_type":"B"}}',
    extraData: new Map<string, PythonValue>([
      ['auth_token_comfy_org', 'secret'],
      ['seed', 3],
    ]),
  },
);

it('shows a prompt as number, id, graph, extra data and outputs', () => {
  const graph = prompt.graphJson;
  expect(promptJson(prompt, true).text).toBe(
    `[-2.50, "\\u00e9", ${graph}, {"auth_token_comfy_org": "secret", "seed": 3.0}, ["1"]]`,
  );
  expect(promptJson(prompt, false).text).toBe(`[-2.50, "\\u00e9", ${graph}, {"seed": 3.0}, ["1"]]`);
});

it('shows a finished prompt with its outputs in the order of the graph', () => {
  const shown = new Map<string, ShownOutput>([
    ['2', { ui: { text: ['x'] }, ranAs: '2' }],
    ['1', { ui: { images: [] }, ranAs: '7' }],
  ]);
  const json = historyEntryJson(prompt, [['execution_start', { at: 1 }]], { outcome: 'success', shown });
  expect(json).toContain('"outputs": {"2": {"text": ["x"]}, "1": {"images": []}}');
  expect(json).not.toContain('secret');
  expect(JSON.parse(json)).toMatchObject({
    status: { status_str: 'success', completed: true, messages: [['execution_start', { at: 1 }]] },
    meta: {
      '1': { node_id: '7', display_node: '7', parent_node: null, real_node_id: '7' },
      '2': { node_id: '2', display_node: '2', parent_node: null, real_node_id: '2' },
    },
  });
});

it.each(['error', 'interrupted'] as const)('shows the outcome %s as an error', (outcome) => {
  const { status } = JSON.parse(historyEntryJson(prompt, [], { outcome, shown: new Map() }));
  expect(status).toEqual({ status_str: 'error', completed: false, messages: [] });
});
