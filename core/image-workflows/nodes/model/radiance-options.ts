import { boolean, float, int, link } from '../kernel/inputs.ts';
import { node, output } from '../kernel/node-type.ts';

const sigma = (value: number) => float({ default: value, min: 0.0, max: 1.0 });

/** ComfyUI computes the pixels of so many patches at a time. The image is the same for all sizes. */
export const radianceOptions = node({
  name: 'ChromaRadianceOptions',
  category: 'model_patches/chroma_radiance',
  module: 'comfy_extras.nodes_chroma_radiance',
  modern: true,
  description:
    'Options of Chroma Radiance. They change no image: all patches are computed together here, whatever the size of a tile.',
  inputs: {
    model: link('MODEL'),
    preserve_wrapper: boolean({ default: true }),
    start_sigma: sigma(1.0),
    end_sigma: sigma(0.0),
    nerf_tile_size: int({ default: -1, min: -1 }),
  },
  outputs: [output('MODEL')],
  run: ({ model }) => [model],
});
