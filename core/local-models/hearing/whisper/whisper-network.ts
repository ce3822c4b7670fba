import { WHISPER_STEPS } from '#core/audio';
import { ModelUnsupported, type Tensor, type TensorSession, type TensorSlot } from '#core/host';
import { floatsOf, floatTensor, integerTensor } from '../../base/tensor-values.ts';
import type { WhisperConfig } from '../../base/whisper-config.ts';

const PAST = 'past_key_values.';
const PRESENT = 'present.';
const ATTENTION = 'cross_attentions.';
/** Inputs of exported decoders, in addition to those of the cache. */
const INPUTS = new Set(['input_ids', 'encoder_hidden_states', 'use_cache_branch', 'cache_position']);

/** Probabilities of tokens before normalization, [rows, size]. */
export interface Logits {
  data: Float32Array;
  rows: number;
  size: number;
}

/** The outputs of a decoder that its later runs take. They stay where they are computed. */
export const cacheOutputs = ({ layers }: WhisperConfig): string[] =>
  Array.from({ length: layers }, (_, layer) =>
    ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value'].map(
      (part) => `${PRESENT}${layer}.${part}`,
    ),
  ).flat();

/**
 * The encoder and the decoder of a Whisper model, as exports for ONNX have them: Radford et al., "Robust speech
 * recognition", 2022. One text is generated at a time, because the decoder keeps its cache.
 */
export class WhisperNetwork {
  readonly #input: TensorSlot;
  readonly #states: string;
  readonly #cache: TensorSlot[];
  /** The outputs that are kept as inputs, by their names. */
  readonly #completeCache: Record<string, string>;
  readonly #textCache: Record<string, string>;

  /** @throws ModelUnsupported for graphs with other inputs and outputs */
  constructor(
    readonly encoder: TensorSession,
    readonly decoder: TensorSession,
    private readonly config: WhisperConfig,
  ) {
    const [input, second] = encoder.inputs;
    const states = encoder.outputs.find(({ shape }) => shape.length === 3)?.name;
    if (!input || second || states === undefined)
      throw new ModelUnsupported('its encoder takes other inputs than the loudness of audio');
    this.#input = input;
    this.#states = states;
    this.#cache = decoder.inputs.filter(({ name }) => name.startsWith(PAST));
    const unknown = decoder.inputs.find(({ name }) => !INPUTS.has(name) && !name.startsWith(PAST));
    if (unknown) throw new ModelUnsupported(`its decoder asks for ${unknown.name}, which no speech has`);
    if (this.#cache.length === 0)
      throw new ModelUnsupported('its decoder has no cache: take the export `decoder_model_merged`');
    const outputs = new Set(decoder.outputs.map(({ name }) => name));
    const cacheNames = this.#cache.map(({ name }) => [name.replace(PAST, PRESENT), name] as const);
    const missing = ['logits', ...cacheNames.map(([output]) => output)].find((name) => !outputs.has(name));
    if (missing) throw new ModelUnsupported(`its decoder has no output ${missing}`);
    this.#completeCache = Object.fromEntries(cacheNames);
    this.#textCache = Object.fromEntries(cacheNames.filter(([name]) => name.includes('.decoder.')));
  }

  /** Whether the decoder returns its attention to the audio, which the times of words need. */
  get hasAttention(): boolean {
    return this.decoder.outputs.some(({ name }) => name.startsWith(ATTENTION));
  }

  /** Encodes the loudness of 30 seconds, [bands, 3000]. */
  async encode(loudness: Float32Array, signal: AbortSignal): Promise<Tensor> {
    const shape = [1, this.config.bands, WHISPER_STEPS];
    const feeds = { [this.#input.name]: floatTensor(this.#input, shape, loudness) };
    const { [this.#states]: states } = await this.encoder.run(feeds, signal, [this.#states]);
    return states!;
  }

  /** Reads the first tokens of a text. Returns the logits after each of them. */
  async begin(tokens: readonly number[], states: Tensor, signal: AbortSignal): Promise<Logits> {
    const feeds = this.#feeds(tokens, 0, states);
    const { logits } = await this.decoder.run(feeds, signal, ['logits'], { keep: this.#completeCache });
    return toLogits(logits!);
  }

  /** Reads one more token, which has `position` tokens before it. Returns the logits after it. */
  async next(token: number, position: number, states: Tensor, signal: AbortSignal): Promise<Logits> {
    const feeds = this.#feeds([token], position, states);
    const { logits } = await this.decoder.run(feeds, signal, ['logits'], { keep: this.#textCache });
    return toLogits(logits!);
  }

  /**
   * The attention of all tokens to the audio, in the layers of `alignmentHeads`: [heads, tokens, steps] by layer.
   * The text that was being generated cannot be continued afterwards.
   */
  async attention(
    tokens: readonly number[],
    states: Tensor,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Float32Array>> {
    const layers = [...new Set(this.config.alignmentHeads.map(([layer]) => layer))];
    const names = layers.map((layer) => `${ATTENTION}${layer}`);
    const outputs = await this.decoder.run(this.#feeds(tokens, 0, states), signal, names);
    return new Map(layers.map((layer, index) => [layer, floatsOf(outputs[names[index]!]!)]));
  }

  /** @param position the tokens in the cache. 0: there is none */
  #feeds(tokens: readonly number[], position: number, states: Tensor): Record<string, Tensor> {
    const { heads, headWidth } = this.config;
    const feeds: Record<string, Tensor> = {};
    const branches = this.decoder.inputs.some(({ name }) => name === 'use_cache_branch');
    for (const slot of this.decoder.inputs) {
      const { name } = slot;
      if (name === 'input_ids') feeds[name] = integerTensor(slot, [1, tokens.length], tokens);
      else if (name === 'use_cache_branch')
        feeds[name] = { type: 'bool', shape: [1], data: Uint8Array.of(position > 0 ? 1 : 0) };
      else if (name === 'cache_position')
        feeds[name] = integerTensor(
          slot,
          [tokens.length],
          tokens.map((_, index) => position + index),
        );
      else if (name === 'encoder_hidden_states')
        // The branch with a cache has keys and values of the audio, and does not read it again.
        feeds[name] = position > 0 && branches ? unread(slot) : asSlot(slot, states);
      else if (position === 0) feeds[name] = floatTensor(slot, [1, heads, 0, headWidth], new Float32Array());
    }
    return feeds;
  }
}

/** The smallest tensor that an input takes. */
function unread(slot: TensorSlot): Tensor {
  const shape = slot.shape.map((side) => (typeof side === 'number' ? side : 1));
  return floatTensor(slot, shape, new Float32Array(shape.reduce((count, side) => count * side, 1)));
}

/** The tensor in the type of floats that an input takes. */
const asSlot = (slot: TensorSlot, tensor: Tensor): Tensor =>
  tensor.type === slot.type ? tensor : floatTensor(slot, [...tensor.shape], floatsOf(tensor));

function toLogits(tensor: Tensor): Logits {
  const [, rows = 0, size = 0] = tensor.shape;
  return { data: floatsOf(tensor), rows, size };
}
