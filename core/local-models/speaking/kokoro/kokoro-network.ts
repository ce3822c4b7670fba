import { ModelUnsupported, type Tensor, type TensorSession, type TensorSlot } from '#core/host';
import { floatsOf, floatTensor, integerTensor } from '../../base/tensor-values.ts';
import { STYLE_WIDTH } from '../../base/voice-files.ts';

/** Samples a second of all published models. */
export const SAMPLE_RATE = 24_000;
/** The token before and after each text. */
const EDGE = 0;
/** Inputs by their names in published graphs. */
const TOKENS = ['input_ids', 'tokens'];
const STYLE = ['style', 'ref_s'];
const SPEED = ['speed'];

/**
 * The graph of a Kokoro model, after StyleTTS 2: Li et al., "Towards human-level text-to-speech through style diffusion",
 * 2023.
 */
export class KokoroNetwork {
  readonly #tokens: TensorSlot;
  readonly #style: TensorSlot;
  readonly #speed: TensorSlot;
  readonly #waveform: string;

  /** @throws ModelUnsupported for a graph with other inputs and outputs */
  constructor(readonly session: TensorSession) {
    const find = (names: readonly string[]) => {
      const slot = session.inputs.find(({ name }) => names.includes(name));
      if (!slot) throw new ModelUnsupported(`its graph has no input ${names[0]}`);
      return slot;
    };
    [this.#tokens, this.#style, this.#speed] = [find(TOKENS), find(STYLE), find(SPEED)];
    const unknown = session.inputs.find(({ name }) => ![...TOKENS, ...STYLE, ...SPEED].includes(name));
    if (unknown) throw new ModelUnsupported(`its graph asks for ${unknown.name}, which no text has`);
    const output = session.outputs[0];
    if (!output) throw new ModelUnsupported('its graph has no output');
    this.#waveform = output.name;
  }

  /**
   * The samples of a text.
   * @param style the numbers of the voice for this number of tokens
   */
  async speak(
    tokens: readonly number[],
    style: Float32Array,
    speed: number,
    signal: AbortSignal,
  ): Promise<Float32Array> {
    const edged = [EDGE, ...tokens, EDGE];
    const feeds: Record<string, Tensor> = {
      [this.#tokens.name]: integerTensor(this.#tokens, [1, edged.length], edged),
      [this.#style.name]: floatTensor(this.#style, [1, STYLE_WIDTH], style),
      [this.#speed.name]: floatTensor(this.#speed, [1], Float32Array.of(speed)),
    };
    const outputs = await this.session.run(feeds, signal, [this.#waveform]);
    return floatsOf(outputs[this.#waveform]!);
  }
}
