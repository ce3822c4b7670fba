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
