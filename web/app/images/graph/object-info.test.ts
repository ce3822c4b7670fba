import { expect, it } from 'vitest';
import { parseExactJson } from '../../graph-editor/graph/value.ts';
import { readKinds } from './object-info.ts';

const info = (name: string, input: unknown) => ({
  [name]: {
    input: { required: { file: input } },
    input_order: { required: ['file'] },
    output: [],
    output_name: [],
    name,
    display_name: name,
    category: 'x',
    output_node: false,
  },
});

it('accepts uploads for choices of images, audio and videos', () => {
  const kinds = readKinds(
    parseExactJson(
      JSON.stringify({
        ...info('Image', [['a.png'], { image_upload: true }]),
        ...info('Audio', [['a.wav'], { audio_upload: true }]),
        ...info('Video', ['COMBO', { options: ['a.mp4'], video_upload: true }]),
        ...info('Mode', [['fast', 'slow'], {}]),
      }),
    ),
  );
  const accepted = ['Image', 'Audio', 'Video', 'Mode'].map((name) => {
    const { widget } = kinds.get(name)!.inputs[0]!;
    return widget?.kind === 'choice' ? widget.upload : 'no choice';
  });
  expect(accepted).toEqual(['image/*', 'audio/*', 'video/*', undefined]);
});

const dynamic = {
  Join: {
    input: {
      required: {
        parts: [
          'COMFY_AUTOGROW_V3',
          {
            template: {
              input: {
                required: {
                  part: [
                    'COMFY_MATCHTYPE_V3',
                    { template: { template_id: 'T', allowed_types: 'IMAGE,MASK' } },
                  ],
                },
              },
              prefix: 'part',
              min: 2,
              max: 3,
            },
          },
        ],
        size: [
          'COMFY_DYNAMICCOMBO_V3',
          {
            options: [
              { key: 'fixed', inputs: { required: { width: ['INT', { default: 5 }] } } },
              { key: 'named', inputs: { required: {}, optional: { image: ['IMAGE', {}] } } },
            ],
          },
        ],
        last: ['STRING', {}],
      },
    },
    output: ['COMFY_MATCHTYPE_V3', 'INT'],
    output_name: ['joined', 'INT'],
    output_matchtypes: ['T', null],
  },
};

it('gives a node one member more than are linked, and the inputs of its choice', () => {
  const kinds = readKinds(parseExactJson(JSON.stringify(dynamic)));
  const node = { id: '1', type: 'Join', x: 0, y: 0, values: {} };
  const names = (values = {}, linked: string[] = []) => {
    const links = linked.map((input) => ({ from: '2', output: 0, to: '1', input }));
    const held = { ...node, values };
    const kind = kinds.forNode!(held, { nodes: new Map([['1', held]]), links })!;
    return kind.inputs.map(({ name }) => name).join(' ');
  };
  expect(names()).toBe('parts.part0 parts.part1 size size.width last');
  expect(names({ size: 'named' }, ['parts.part1'])).toBe(
    'parts.part0 parts.part1 parts.part2 size size.image last',
  );
  expect(names({}, ['parts.part2'])).toBe('parts.part0 parts.part1 parts.part2 size size.width last');
  const kind = kinds.get('Join')!;
  expect(kind.inputs[0]).toMatchObject({ label: 'part0', socket: 'IMAGE,MASK', required: true });
  expect(kind.inputs[2]).toMatchObject({ socket: undefined, widget: { options: ['fixed', 'named'] } });
  expect(kind.outputs.map(({ socket }) => socket)).toEqual(['IMAGE,MASK', 'INT']);
  expect(kinds.forNode!(node)).toBe(kinds.forNode!({ ...node, id: '2' }));
});
