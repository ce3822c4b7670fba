/** Changes a graph that makes an image of a text, so that it begins with images of the caller. */
import type { ApiGraph } from './text-to-image.ts';

/** The image that an edit begins with, and how far it may change. */
export interface EditSettings {
  /** The uploaded image, by the name that LoadImage takes. */
  image: string;
  /** An uploaded image whose transparent pixels are replaced. Undefined: the whole image changes. */
  mask?: string;
  /** Width and height in pixels. Undefined: those of the image. */
  size?: { width: number; height: number };
  /** How much changes, from 0 to 1. */
  strength: number;
  /** Number of results. */
  count: number;
}

/**
 * The nodes of an edit, in place of the empty latent of a graph by `graphText`. Pixels outside of the mask stay as they
 * are.
 */
export function editGraph(graph: ApiGraph, { image, mask, size, strength, count }: EditSettings): ApiGraph {
  const { 4: _empty, ...nodes } = structuredClone(graph) as Record<string, ApiGraph[string]>;
  const pixels = size ? ['11', 0] : ['10', 0];
  const latent = mask === undefined ? ['12', 0] : ['14', 0];
  nodes[10] = { class_type: 'LoadImage', inputs: { image } };
  if (size) {
    nodes[11] = {
      class_type: 'ImageScale',
      inputs: { image: ['10', 0], upscale_method: 'lanczos', crop: 'center', ...size },
    };
  }
  nodes[12] = { class_type: 'VAEEncode', inputs: { pixels, vae: ['1', 2] } };
  if (mask !== undefined) {
    nodes[13] = { class_type: 'LoadImage', inputs: { image: mask } };
    nodes[14] = { class_type: 'SetLatentNoiseMask', inputs: { samples: ['12', 0], mask: ['13', 1] } };
  }
  nodes[15] = { class_type: 'RepeatLatentBatch', inputs: { samples: latent, amount: count } };
  Object.assign(nodes[5]!.inputs, { latent_image: ['15', 0], denoise: strength });
  if (mask !== undefined) {
    nodes[16] = { class_type: 'RepeatImageBatch', inputs: { image: pixels, amount: count } };
    nodes[17] = {
      class_type: 'ImageCompositeMasked',
      inputs: {
        destination: ['16', 0],
        source: ['6', 0],
        mask: ['13', 1],
        x: 0,
        y: 0,
        resize_source: true,
      },
    };
    nodes[7]!.inputs.images = ['17', 0];
  }
  return nodes;
}
