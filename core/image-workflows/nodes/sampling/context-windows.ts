/** Nodes that sample long videos in windows of frames. */
import { WINDOW_FUSES, WINDOW_SCHEDULES } from '../../values/context-windows.ts';
import { boolean, choice, int, link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = {
  category: 'context',
  module: 'comfy_extras.nodes_context_windows',
  modern: true,
  experimental: true,
  outputs: [output('MODEL', 'MODEL', { tooltip: 'The model with context windows applied during sampling.' })],
} as const;

const ways = () => ({
  context_schedule: choice(WINDOW_SCHEDULES, { multiselect: false }),
  context_stride: int({ default: 1, min: 1 }),
  closed_loop: boolean({ default: false }),
  fuse_method: choice(WINDOW_FUSES, { default: 'pyramid', multiselect: false }),
});

const contextWindows = node({
  ...shared,
  name: 'ContextWindowsManual',
  displayName: 'Context Windows (Manual)',
  description:
    'Runs long latents through the network in windows, which overlap. dim: the axis of the windows, 0 for batches and 2 for frames.',
  inputs: {
    model: link('MODEL'),
    context_length: int({ default: 16, min: 1 }),
    context_overlap: int({ default: 4, min: 0 }),
    ...ways(),
    dim: int({ default: 0, min: 0, max: 5 }),
  },
  run: ({ model, context_length, context_overlap, dim, ...rest }) => [
    { ...model, windows: { axis: dim, length: context_length, overlap: context_overlap, ...waysOf(rest) } },
  ],
});

/** Frames of a latent for frames of a video. */
const latentFrames = (frames: number): number => Math.floor((frames - 1) / 4) + 1;

const wanContextWindows = node({
  ...shared,
  name: 'WanContextWindowsManual',
  displayName: 'WAN Context Windows (Manual)',
  description:
    'Runs long videos through a network of Wan in windows, which overlap. Lengths are frames of the video.',
  inputs: {
    model: link('MODEL'),
    context_length: int({ default: 81, min: 1, max: 16384, step: 4 }),
    context_overlap: int({ default: 30, min: 0 }),
    ...ways(),
  },
  run: ({ model, context_length, context_overlap, ...rest }) => [
    {
      ...model,
      windows: {
        axis: 2,
        length: Math.max(latentFrames(context_length), 1),
        overlap: Math.max(latentFrames(context_overlap), 0),
        ...waysOf(rest),
      },
    },
  ],
});

interface Ways {
  context_schedule: (typeof WINDOW_SCHEDULES)[number];
  context_stride: number;
  closed_loop: boolean;
  fuse_method: (typeof WINDOW_FUSES)[number];
}

const waysOf = ({ context_schedule, context_stride, closed_loop, fuse_method }: Ways) => ({
  schedule: context_schedule,
  stride: context_stride,
  isClosed: closed_loop,
  fuse: fuse_method,
});

/** The nodes in the order of `/object_info`. */
export const contextWindowNodes: AnyNode[] = [contextWindows, wanContextWindows];
