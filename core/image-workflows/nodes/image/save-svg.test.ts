import { expect, test } from 'vitest';
import { fileContext } from '#test/support/image-workflows/node-context.ts';
import { nodeTypes } from '../index.ts';
import type { NodeContext } from '../kernel/node-context.ts';

const { files, context } = fileContext({}, { promptJson: '{"1": {"text": "]]> & <b>"}}' });
const save = (svg: unknown, more: Partial<NodeContext> = {}) =>
  nodeTypes
    .find((type) => type.name === 'SaveSVGNode')!
    .run({ svg, filename_prefix: 'svg/x' }, { ...context, ...more });
const saved = async (number: number) =>
  new TextDecoder().decode(await files.read(`output/svg/x_0000${number}_.svg`));

test('each SVG of a value is saved with the graph in its metadata', async () => {
  const first = '<?xml version="1.0"?><svg title="a > b" viewBox="0 0 1 1"><rect/></svg>';
  expect(await save({ data: [first, '<svg/>'] })).toEqual({
    ui: {
      images: [
        { filename: 'x_00001_.svg', subfolder: 'svg', type: 'output' },
        { filename: 'x_00002_.svg', subfolder: 'svg', type: 'output' },
      ],
    },
  });
  const text = await saved(1);
  const [before, json, after] = text.split(/<metadata><!\[CDATA\[|\]\]><\/metadata>/) as [
    string,
    string,
    string,
  ];
  expect(before).toBe('<?xml version="1.0"?><svg title="a > b" viewBox="0 0 1 1">\n');
  expect(after).toBe('<rect/></svg>');
  // The end of a CDATA section within the metadata is split.
  expect(JSON.parse(json.replace(']]]]><![CDATA[>', ']]>'))).toEqual({
    prompt: { 1: { text: ']]> & <b>' } },
    workflow: { nodes: [] },
  });
  expect(await saved(2)).toBe('<svg/>');
});

test('a text is an SVG value too, and stays unchanged without metadata', async () => {
  await save('<svg></svg>', { promptJson: undefined, extraTexts: {} });
  expect(await saved(3)).toBe('<svg></svg>');
});

test.each([undefined, 5, 'a cat', { data: 'x' }, { data: [5] }])(
  'refuses %j, which is no SVG',
  async (svg) => {
    await expect(save(svg)).rejects.toThrow('<svg> element');
  },
);
