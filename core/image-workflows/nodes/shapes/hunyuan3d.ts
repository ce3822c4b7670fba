/** Shapes of images with Hunyuan3D 2. */
import { concatAlong } from '../../values/batches.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import type { ClipVisionOutput } from '../../values/vision.ts';
import { int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { module: 'comfy_extras.nodes_hunyuan3d' } as const;
const prompts = [output('CONDITIONING', 'positive'), output('CONDITIONING', 'negative')];
/** The base of the frequencies of the places of images. */
const THETA = 10_000;

/** The tokens, and as many zeros. */
const bothPrompts = (tensor: FloatTensor): Conditioning[] => [
  [{ tensor, options: {} }],
  [{ tensor: zeros(tensor.shape), options: {} }],
];

const conditioning = node({
  ...shared,
  name: 'Hunyuan3Dv2Conditioning',
  displayName: 'Hunyuan3Dv2Conditioning',
  category: 'conditioning/video_models',
  description: 'Creates prompts of an image, from its encoding by the vision encoder of the checkpoint.',
  inputs: { clip_vision_output: link('CLIP_VISION_OUTPUT', undefined) },
  outputs: prompts,
  run: ({ clip_vision_output }) => bothPrompts(clip_vision_output.lastHiddenState),
});

/** All tokens plus the sines and cosines of the place of their image. */
function placed({ lastHiddenState: { shape, data } }: ClipVisionOutput, place: number): FloatTensor {
  const width = shape.at(-1)!;
  const half = width / 2;
  const waves = Float32Array.from({ length: width }, (_, column) => {
    const angle = place * THETA ** (-(column % half) / half);
    return column < half ? Math.sin(angle) : Math.cos(angle);
  });
  return { shape, data: data.map((value, at) => value + waves[at % width]!) };
}

const view = () => optional(link('CLIP_VISION_OUTPUT', undefined));

const views = node({
  ...shared,
  name: 'Hunyuan3Dv2ConditioningMultiView',
  displayName: 'Hunyuan3Dv2ConditioningMultiView',
  category: 'conditioning/video_models',
  description: 'Creates prompts of up to four views of an object.',
  inputs: { front: view(), left: view(), back: view(), right: view() },
  outputs: prompts,
  run({ front, left, back, right }) {
    const seen = [front, left, back, right].flatMap((each, place) => (each ? placed(each, place) : []));
    if (seen.length === 0) throw new TypeError('link at least one view of the object');
    return bothPrompts(seen.reduce((all, next) => concatAlong(1, all, next)));
  },
});

const decode = node({
  ...shared,
  name: 'VAEDecodeHunyuan3D',
  displayName: 'VAEDecodeHunyuan3D',
  category: 'latent/3d',
  description:
    'Decodes latents of shapes to voxels. num_chunks: points that are computed at once. octree_resolution: voxels along each side.',
  inputs: {
    samples: link('LATENT', undefined),
    vae: link('VAE', undefined),
    num_chunks: int({ default: 8000, min: 1000, max: 500000 }),
    octree_resolution: int({ default: 256, min: 16, max: 512 }),
  },
  outputs: [output('VOXEL')],
  async run({ samples, vae, num_chunks, octree_resolution }, { signal, progress }) {
    if (!vae.shapes)
      throw new TypeError('this VAE is one of images: link that of a checkpoint of Hunyuan3D 2');
    const options = {
      resolution: octree_resolution,
      pointsAtOnce: num_chunks,
      onProgress: (share: number) => progress(Math.round(100 * share), 100),
    };
    return [{ data: await vae.shapes.decode(samples.samples, options, signal) }];
  },
});

/** The nodes in the order of `/object_info`. */
export const hunyuan3dNodes: AnyNode[] = [conditioning, views, decode];
