/** Vision encoders, and models that use their embeddings. */
import type { ModelGraph } from './model-graph.ts';
import type { FloatTensor } from './tensor.ts';

/** A value of type CLIP_VISION. */
export interface ClipVisionModel {
  /** `center` crops the image to its middle square. `none` squeezes it into a square. */
  encode(image: FloatTensor, crop: 'center' | 'none', signal: AbortSignal): Promise<ClipVisionOutput>;
  /** Starts to open the encoder in the background. `signal` cancels that. Never throws. */
  prepare?(signal: AbortSignal): void;
  readonly graph?: ModelGraph;
}

export interface ClipVisionOutput {
  /** One embedding per image, [batch, width]; SigLIP's last layer. Undefined: the encoder's graph lacks this output. */
  readonly imageEmbeds: FloatTensor | undefined;
  /** [batch, tokens, width] */
  readonly lastHiddenState: FloatTensor;
  /** The input of the last layer, [batch, tokens, width]. Undefined: the layers of the encoder's graph are unknown. */
  readonly penultimateHiddenState: FloatTensor | undefined;
  /** Three layers for a style projector, [batch, layers, tokens, width]: the 20th, 11th and second from the end. */
  readonly styleStates?: FloatTensor | undefined;
  /** Tokens for a language model, [batch, tokens, width], from the encoder of LLaVA. */
  readonly languageTokens?: FloatTensor | undefined;
}

/** A value of type STYLE_MODEL. */
export interface StyleModel {
  /** Tokens to append to a prompt, [batch, tokens, width]. */
  tokens(seen: ClipVisionOutput, signal: AbortSignal): Promise<FloatTensor>;
}

/** An image for unCLIP: the network makes variations of it. */
export interface UnclipHint {
  readonly visionOutput: ClipVisionOutput;
  readonly strength: number;
  /** 0 to 1: how much noise is added to the embedding, so that the result may differ from the image. */
  readonly noiseAugmentation: number;
}

/** A value of type PHOTOMAKER. */
export interface PhotoMaker {
  /**
   * Adds the person of an image to the token of a word.
   * @param image [1, height, width, channels] in 0..1
   * @param token [1, width], the encoded token
   */
  withPerson(image: FloatTensor, token: FloatTensor, signal: AbortSignal): Promise<FloatTensor>;
}
