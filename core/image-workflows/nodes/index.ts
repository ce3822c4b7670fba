/** All nodes that tabd has. A new file of nodes needs one line here. */

import { imageBatchNodes } from './image-batch.ts';
import { imagePostprocessingNodes } from './image-postprocessing.ts';
import { imageTransformNodes } from './image-transform.ts';
import { imageUpscalingNodes } from './image-upscaling.ts';
import { latentCreateNodes } from './latent-create.ts';
import { maskNodes } from './mask.ts';
import { maskCompositingNodes } from './mask-compositing.ts';
import type { AnyNode } from './node-type.ts';
import { previewAny } from './preview-any.ts';
import { primitiveNodes } from './primitives.ts';
import { stringNodes } from './strings.ts';

export const nodeTypes: readonly AnyNode[] = [
  ...primitiveNodes,
  ...stringNodes,
  previewAny,
  ...latentCreateNodes,
  ...imageBatchNodes,
  ...imagePostprocessingNodes,
  ...imageTransformNodes,
  ...imageUpscalingNodes,
  ...maskNodes,
  ...maskCompositingNodes,
];
