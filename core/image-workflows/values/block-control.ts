import type { VaeModel } from './image-models.ts';
import type { DiffusionNetwork } from './network.ts';
import type { FloatTensor } from './tensor.ts';

/** An image that a network follows, for a net between its blocks. */
export interface BlockControlHint {
  readonly vae: VaeModel;
  /** [batch, height, width, channels] */
  readonly image: FloatTensor;
  /** [batch, height, width]: 1 where the image is repainted. Undefined: everywhere is given. */
  readonly mask?: FloatTensor | undefined;
  readonly strength: number;
}

/** A control net of a file, as ModelPatchLoader opens it. */
export interface BlockControlNet {
  /** The network with the net in it. Rejects when it is no Qwen-Image from a file of weights. */
  control(network: DiffusionNetwork, hint: BlockControlHint, signal: AbortSignal): Promise<DiffusionNetwork>;
}
