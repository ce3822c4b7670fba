/** Nodes that join images, frame rate and audio to a video, and split a video into them. */
import { videoFromParts } from '../../video/video-from-parts.ts';
import { float, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { category: 'image/video', module: 'comfy_extras.nodes_video', modern: true } as const;

const createVideo = node({
  ...shared,
  name: 'CreateVideo',
  displayName: 'Create Video',
  description: 'Joins a batch of images and audio to a video.',
  inputs: {
    images: link('IMAGE', { tooltip: 'The frames in their order.' }),
    fps: float({ default: 30.0, min: 1.0, max: 120.0, step: 1.0 }),
    audio: optional(link('AUDIO')),
  },
  outputs: [output('VIDEO')],
  run: ({ images, fps, audio }) => [videoFromParts({ images, fps, ...(audio && { audio }) })],
});

const getVideoComponents = node({
  ...shared,
  name: 'GetVideoComponents',
  displayName: 'Get Video Components',
  description: 'Outputs the images, the audio and the frame rate of a video.',
  inputs: { video: link('VIDEO') },
  outputs: [output('IMAGE', 'images'), output('AUDIO', 'audio'), output('FLOAT', 'fps')],
  async run({ video }, { signal }) {
    const { images, audio, fps } = await video.parts(signal);
    return [images, audio ?? null, fps];
  },
});

export const videoComponentNodes: AnyNode[] = [createVideo, getVideoComponents];
