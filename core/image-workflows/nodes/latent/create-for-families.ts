/** Empty latents of families whose latents have other sides: videos, audio, shapes and stronger compression. */
import { roundHalfEven } from '../../images/rounding.ts';
import type { Latent } from '../../values/latent.ts';
import { zeros } from '../../values/tensor.ts';
import { float, int } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const batch = () => int({ default: 1, min: 1, max: 4096 });
const side = (value: number, step: number, min = step) => int({ default: value, min, max: 16384, step });
const seconds = (value: number) => float({ default: value, min: 1, max: 1000, step: 0.1 });

const latent = (...shape: number[]): Latent => ({ samples: zeros(shape.map(Math.floor)) });

/** An autoencoder of videos: the first frame is a latent of its own, later ones share one. */
interface VideoFormat {
  name: string;
  module: string;
  category: string;
  channels: number;
  /** Pixels of a side for each latent cell. */
  scale: number;
  /** Frames for each latent after the first. */
  frames: number;
  width: ReturnType<typeof int>;
  height: ReturnType<typeof int>;
  length: ReturnType<typeof int>;
  /** The published form. */
  form: { modern: true; displayName?: string } | { displayName: string };
}

/** [batch, channels, frames, height, width]. */
const emptyVideo = ({ name, module, category, channels, scale, frames, form, ...sides }: VideoFormat) =>
  node({
    ...form,
    name,
    category,
    module,
    description: 'Creates empty latents of a video for a sampler to fill.',
    inputs: {
      width: sides.width,
      height: sides.height,
      length: sides.length,
      batch_size: batch(),
    },
    outputs: [output('LATENT')],
    run: ({ width, height, length, batch_size }) => [
      latent(batch_size, channels, Math.floor((length - 1) / frames) + 1, height / scale, width / scale),
    ],
  });

const videos = [
  emptyVideo({
    name: 'EmptyMochiLatentVideo',
    module: 'comfy_extras.nodes_mochi',
    category: 'latent/video',
    channels: 12,
    scale: 8,
    frames: 6,
    width: side(848, 16),
    height: side(480, 16),
    length: side(25, 6, 7),
    form: { modern: true },
  }),
  emptyVideo({
    name: 'EmptyLTXVLatentVideo',
    module: 'comfy_extras.nodes_lt',
    category: 'latent/video/ltxv',
    channels: 128,
    scale: 32,
    frames: 8,
    width: side(768, 32, 64),
    height: side(512, 32, 64),
    length: side(97, 8, 1),
    form: { modern: true },
  }),
  emptyVideo({
    name: 'EmptyCosmosLatentVideo',
    module: 'comfy_extras.nodes_cosmos',
    category: 'latent/video',
    channels: 16,
    scale: 8,
    frames: 8,
    width: side(1280, 16),
    height: side(704, 16),
    length: side(121, 8, 1),
    form: { modern: true },
  }),
  emptyVideo({
    name: 'EmptyHunyuanLatentVideo',
    module: 'comfy_extras.nodes_hunyuan',
    category: 'latent/video',
    channels: 16,
    scale: 8,
    frames: 4,
    width: side(848, 16),
    height: side(480, 16),
    length: side(25, 4, 1),
    form: { displayName: 'EmptyHunyuanLatentVideo' },
  }),
  emptyVideo({
    name: 'EmptyHunyuanVideo15Latent',
    module: 'comfy_extras.nodes_hunyuan',
    category: 'latent/video',
    channels: 32,
    scale: 16,
    frames: 4,
    width: side(848, 16),
    height: side(480, 16),
    length: side(25, 4, 1),
    form: { modern: true, displayName: 'Empty HunyuanVideo 1.5 Latent' },
  }),
];

const images = [
  node({
    name: 'EmptyFlux2LatentImage',
    displayName: 'Empty Flux 2 Latent',
    category: 'latent',
    module: 'comfy_extras.nodes_flux',
    modern: true,
    description: 'Creates empty latents of 128 channels, of which a cell has 16 pixels on a side.',
    inputs: { width: side(1024, 16), height: side(1024, 16), batch_size: batch() },
    outputs: [output('LATENT')],
    run: ({ width, height, batch_size }) => [latent(batch_size, 128, height / 16, width / 16)],
  }),
  node({
    name: 'EmptyQwenImageLayeredLatentImage',
    displayName: 'Empty Qwen Image Layered Latent',
    category: 'latent/qwen',
    module: 'comfy_extras.nodes_qwen',
    modern: true,
    description: 'Creates empty latents of the layers of an image, after one for the whole image.',
    inputs: {
      width: side(640, 16),
      height: side(640, 16),
      layers: int({ default: 3, min: 0, max: 16384, step: 1 }),
      batch_size: batch(),
    },
    outputs: [output('LATENT')],
    run: ({ width, height, layers, batch_size }) => [
      latent(batch_size, 16, layers + 1, height / 8, width / 8),
    ],
  }),
  node({
    name: 'EmptyHunyuanImageLatent',
    displayName: 'EmptyHunyuanImageLatent',
    category: 'latent',
    module: 'comfy_extras.nodes_hunyuan',
    description: 'Creates empty latents of 64 channels, of which a cell has 32 pixels on a side.',
    inputs: { width: side(2048, 32, 64), height: side(2048, 32, 64), batch_size: batch() },
    outputs: [output('LATENT')],
    run: ({ width, height, batch_size }) => [latent(batch_size, 64, height / 32, width / 32)],
  }),
  node({
    name: 'EmptyChromaRadianceLatentImage',
    category: 'latent/chroma_radiance',
    module: 'comfy_extras.nodes_chroma_radiance',
    modern: true,
    description: 'Creates empty images for a model that works on pixels.',
    inputs: { width: side(1024, 16), height: side(1024, 16), batch_size: batch() },
    outputs: [output('LATENT')],
    run: ({ width, height, batch_size }) => [latent(batch_size, 3, height, width)],
  }),
  node({
    name: 'StableCascade_EmptyLatentImage',
    category: 'latent/stable_cascade',
    module: 'comfy_extras.nodes_stable_cascade',
    modern: true,
    description: 'Creates empty latents for both stages of Stable Cascade.',
    inputs: {
      width: side(1024, 8, 256),
      height: side(1024, 8, 256),
      compression: int({ default: 42, min: 4, max: 128, step: 1 }),
      batch_size: batch(),
    },
    outputs: [output('LATENT', 'stage_c'), output('LATENT', 'stage_b')],
    run: ({ width, height, compression, batch_size }) => [
      latent(batch_size, 16, height / compression, width / compression),
      latent(batch_size, 4, height / 4, width / 4),
    ],
  }),
];

const others = [
  node({
    name: 'EmptyLatentAudio',
    displayName: 'Empty Latent Audio',
    category: 'latent/audio',
    module: 'comfy_extras.nodes_audio',
    description: 'Creates empty latents of audio: 64 channels, an even number of cells of 2048 samples.',
    inputs: { seconds: seconds(47.6), batch_size: batch() },
    outputs: [output('LATENT')],
    run: ({ seconds, batch_size }) => [
      { ...latent(batch_size, 64, roundHalfEven((seconds * 44_100) / 2048 / 2) * 2), type: 'audio' },
    ],
  }),
  node({
    name: 'EmptyAceStepLatentAudio',
    category: 'latent/audio',
    module: 'comfy_extras.nodes_ace',
    modern: true,
    description: 'Creates empty latents of a song: 8 channels of 16 bands, cells of 4096 samples.',
    inputs: { seconds: seconds(120), batch_size: batch() },
    outputs: [output('LATENT')],
    run: ({ seconds, batch_size }) => [
      { ...latent(batch_size, 8, 16, (seconds * 44_100) / 512 / 8), type: 'audio' },
    ],
  }),
  node({
    name: 'EmptyAceStep1.5LatentAudio',
    displayName: 'Empty Ace Step 1.5 Latent Audio',
    category: 'latent/audio',
    module: 'comfy_extras.nodes_ace',
    modern: true,
    description: 'Creates empty latents of a song for ACE-Step 1.5: 64 channels, 25 cells a second.',
    inputs: { seconds: float({ default: 120, min: 1, max: 1000, step: 0.01 }), batch_size: batch() },
    outputs: [output('LATENT')],
    run: ({ seconds, batch_size }) => [
      { ...latent(batch_size, 64, roundHalfEven((seconds * 48_000) / 1920)), type: 'audio' },
    ],
  }),
  node({
    name: 'EmptyLatentHunyuan3Dv2',
    displayName: 'EmptyLatentHunyuan3Dv2',
    category: 'latent/3d',
    module: 'comfy_extras.nodes_hunyuan3d',
    description: 'Creates empty latents of a shape: 64 channels of as many cells as the resolution says.',
    inputs: { resolution: int({ default: 3072, min: 1, max: 8192 }), batch_size: batch() },
    outputs: [output('LATENT')],
    run: ({ resolution, batch_size }) => [{ ...latent(batch_size, 64, resolution), type: 'hunyuan3dv2' }],
  }),
];

/** Empty latents of further families, in the order of `/object_info`. */
export const familyLatentNodes: AnyNode[] = [...videos, ...images, ...others];
