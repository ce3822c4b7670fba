import { concatFloats, runYielding } from '#core/base';
import { meanChannel } from './mean-channel.ts';
import { greatestCommonDivisor, resamplePlane, resamplingReach } from './resample.ts';

/** Input samples that are resampled at once, at least. */
const BLOCK = 2 ** 18;

/**
 * Resamples audio that arrives in pieces, to one channel: the mean of all. The numbers are those of `resample` over the
 * complete audio. At any time it keeps little more than the result.
 */
export class SpeechResampler {
  readonly #from: number;
  readonly #to: number;
  /** Input samples around a block that its results depend on: a multiple of `#from`. */
  readonly #margin: number;
  readonly #block: number;
  readonly #results: Float32Array[] = [];
  /** Input that was not resampled yet, behind the margin before it. */
  #pending: Float32Array[] = [];
  #pendingLength = 0;
  #isFirst = true;

  /** @param sampleRate samples a second of the input. @param targetRate those of the result */
  constructor(
    sampleRate: number,
    readonly targetRate: number,
  ) {
    const divisor = greatestCommonDivisor(sampleRate, targetRate);
    this.#from = sampleRate / divisor;
    this.#to = targetRate / divisor;
    this.#margin = Math.ceil(resamplingReach(this.#from, this.#to) / this.#from) * this.#from;
    this.#block = Math.ceil(BLOCK / this.#from) * this.#from;
  }

  /** The samples of the result so far. */
  get length(): number {
    return this.#results.reduce((sum, { length }) => sum + length, 0);
  }

  /** Takes the next piece: one array for each channel. Rejects with the signal's reason. */
  async push(channels: readonly Float32Array[], signal: AbortSignal): Promise<void> {
    const mono = meanChannel(channels);
    this.#pending.push(mono);
    this.#pendingLength += mono.length;
    const before = this.#isFirst ? 0 : this.#margin;
    if (this.#pendingLength < before + this.#block + this.#margin) return;
    const input = joined(this.#pending);
    const blocks = Math.floor((input.length - before - this.#margin) / this.#block);
    const end = before + blocks * this.#block;
    await this.#resample(input.subarray(0, end + this.#margin), before, end, signal);
    // The next block needs the margin before it.
    const rest = input.slice(Math.max(0, end - this.#margin));
    this.#isFirst = false;
    this.#pending = [rest];
    this.#pendingLength = rest.length;
  }

  /** The complete result. Nothing may be pushed afterwards. Rejects with the signal's reason. */
  async finish(signal: AbortSignal): Promise<Float32Array> {
    const input = joined(this.#pending);
    await this.#resample(input, this.#isFirst ? 0 : this.#margin, input.length, signal);
    return joined(this.#results);
  }

  /** Adds the results of input samples [start, end). The others are around them. */
  async #resample(input: Float32Array, start: number, end: number, signal: AbortSignal): Promise<void> {
    const [from, to] = [this.#from, this.#to];
    if (from === to) this.#results.push(input.slice(start, end));
    else {
      const output = await runYielding(resamplePlane(input, from, to), signal);
      this.#results.push(output.slice((start / from) * to, Math.ceil((end * to) / from)));
    }
    signal.throwIfAborted();
  }
}

/** One part is not copied, because it may be hours of audio. */
const joined = (parts: readonly Float32Array[]): Float32Array =>
  parts.length === 1 ? parts[0]! : concatFloats(parts);
