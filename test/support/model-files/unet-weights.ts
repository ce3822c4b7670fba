/** The shapes of small UNets and control nets in the original layout, with norms of 32 groups. */
import type { Shapes } from './weight-files.ts';

export interface TinyUnet {
  /** Channels of the first level; a head has as many. */
  width: number;
  context: number;
  /** Transformer blocks of each level. Each level has one residual block on the way down. */
  depths: readonly number[];
  /** Transformer blocks in the middle. Undefined: there is no middle. */
  middle?: number;
  isLinear?: boolean;
  /** The width of the labels. */
  labels?: number;
  inputs?: number;
  /** Residual blocks of each level on the way down. Default: 1. */
  layers?: number;
  /** Channels of each level in widths. Default: each level doubles them. */
  factors?: readonly number[];
}

const layer = (name: string, ...shape: number[]): Shapes => ({
  [`${name}.weight`]: shape,
  [`${name}.bias`]: [shape[0]!],
});

/** A residual block in the names of the original layout. */
const residual = (name: string, inputs: number, outputs: number, time: number): Shapes => ({
  ...layer(`${name}.in_layers.0`, inputs),
  ...layer(`${name}.in_layers.2`, outputs, inputs, 3, 3),
  ...layer(`${name}.emb_layers.1`, outputs, time),
  ...layer(`${name}.out_layers.0`, outputs),
  ...layer(`${name}.out_layers.3`, outputs, outputs, 3, 3),
  ...(inputs !== outputs && layer(`${name}.skip_connection`, outputs, inputs, 1, 1)),
});

function transformer(name: string, width: number, depth: number, { context, isLinear }: TinyUnet): Shapes {
  const kernel = isLinear ? [] : [1, 1];
  const attention = (inner: string, keys: number): Shapes => ({
    [`${inner}.to_q.weight`]: [width, width],
    [`${inner}.to_k.weight`]: [width, keys],
    [`${inner}.to_v.weight`]: [width, keys],
    ...layer(`${inner}.to_out.0`, width, width),
  });
  const blocks = Array.from({ length: depth }, (_, index): Shapes => {
    const inner = `${name}.transformer_blocks.${index}`;
    return {
      ...layer(`${inner}.norm1`, width),
      ...attention(`${inner}.attn1`, width),
      ...layer(`${inner}.norm2`, width),
      ...attention(`${inner}.attn2`, context),
      ...layer(`${inner}.norm3`, width),
      ...layer(`${inner}.ff.net.0.proj`, 8 * width, width),
      ...layer(`${inner}.ff.net.2`, width, 4 * width),
    };
  });
  return {
    ...layer(`${name}.norm`, width),
    ...layer(`${name}.proj_in`, width, width, ...kernel),
    ...Object.assign({}, ...blocks),
    ...layer(`${name}.proj_out`, width, width, ...kernel),
  };
}

const channelsOf = ({ width, factors }: TinyUnet, level: number): number =>
  width * (factors?.[level] ?? 2 ** level);

/** The way down, with the channels of its skip connections. */
function wayDown(unet: TinyUnet): { shapes: Shapes; skips: number[] } {
  const { width, depths, middle, labels, inputs = 4, layers = 1 } = unet;
  const time = 4 * width;
  const shapes: Record<string, readonly number[]> = {
    ...layer('time_embed.0', time, width),
    ...layer('time_embed.2', time, time),
    ...(labels !== undefined && {
      ...layer('label_emb.0.0', time, labels),
      ...layer('label_emb.0.2', time, time),
    }),
    ...layer('input_blocks.0.0', width, inputs, 3, 3),
  };
  const skips = [width];
  for (const [level, depth] of depths.entries()) {
    const channels = channelsOf(unet, level);
    for (let part = 0; part < layers; part++) {
      const block = `input_blocks.${skips.length}`;
      Object.assign(shapes, residual(`${block}.0`, skips.at(-1)!, channels, time));
      if (depth > 0) Object.assign(shapes, transformer(`${block}.1`, channels, depth, unet));
      skips.push(channels);
    }
    if (level === depths.length - 1) continue;
    Object.assign(shapes, layer(`input_blocks.${skips.length}.0.op`, channels, channels, 3, 3));
    skips.push(channels);
  }
  const last = skips.at(-1)!;
  if (middle !== undefined)
    Object.assign(
      shapes,
      residual('middle_block.0', last, last, time),
      middle > 0 ? transformer('middle_block.1', last, middle, unet) : {},
      residual('middle_block.2', last, last, time),
    );
  return { shapes, skips };
}

export function unetShapes(unet: TinyUnet): Shapes {
  const { width, depths, layers = 1 } = unet;
  const { shapes, skips } = wayDown(unet);
  const found: Record<string, readonly number[]> = { ...shapes };
  let before = skips.at(-1)!;
  let block = 0;
  for (const level of [...depths.keys()].reverse()) {
    const channels = channelsOf(unet, level);
    for (let part = 0; part <= layers; part++) {
      const path = `output_blocks.${block++}`;
      Object.assign(found, residual(`${path}.0`, before + skips.pop()!, channels, 4 * width));
      const depth = depths[level]!;
      if (depth > 0) Object.assign(found, transformer(`${path}.1`, channels, depth, unet));
      const resampler = depth > 0 ? 2 : 1;
      if (part === layers && level > 0)
        Object.assign(found, layer(`${path}.${resampler}.conv`, channels, channels, 3, 3));
      before = channels;
    }
  }
  return { ...found, ...layer('out.0', width), ...layer('out.2', 4, width, 3, 3) };
}

/** Output channels of the layers over the image, before the last. */
const HINT_CHANNELS = [4, 4, 8, 8, 8, 8, 16];

/** A control net for UNets of the same kind. */
export function controlNetShapes(unet: TinyUnet): Shapes {
  const { shapes, skips } = wayDown(unet);
  const found: Record<string, readonly number[]> = { ...shapes };
  for (const [index, channels] of [...HINT_CHANNELS, unet.width].entries()) {
    const before = HINT_CHANNELS[index - 1] ?? 3;
    Object.assign(found, layer(`input_hint_block.${2 * index}`, channels, before, 3, 3));
  }
  for (const [index, channels] of skips.entries())
    Object.assign(found, layer(`zero_convs.${index}.0`, channels, channels, 1, 1));
  const last = skips.at(-1)!;
  return { ...found, ...layer('middle_block_out.0', last, last, 1, 1) };
}
