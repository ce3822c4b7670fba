import { type Device, type Log, ModelCorrupt } from '#core/host';
import { agrees, isNumeric, isPlausible } from './device-check.ts';
import type { KnownAnswer } from './protocol.ts';

/** The part of a loaded model that the proof uses. */
export interface Provable {
  device: Device;
  knownAnswer(signal: AbortSignal): Promise<KnownAnswer>;
  dispose(): Promise<void>;
}

/** Identifies the file of the weights. `size`: bytes. */
interface Weights {
  digest: string;
  size: number;
}

/** The size in bytes below which models are always loaded a second time on the CPU, for comparison. */
const ALWAYS_COMPARED = 2 * 2 ** 30;

/**
 * Keeps models off devices that compute wrong results. GPU and CPU must agree on a fixed text. Loading a large model
 * twice would take minutes, so a large model is compared only if its GPU answer is implausible. Results are remembered
 * by file and device.
 */
export class DeviceProof {
  readonly #proven = new Set<string>();

  constructor(private readonly log: Log | undefined) {}

  /** Returns the model. If it computes no finite numbers, disposes it and rejects with `ModelCorrupt`. */
  async cpu<M extends Provable>(model: M, weights: Weights, signal: AbortSignal): Promise<M> {
    const key = `${weights.digest} cpu`;
    if (this.#proven.has(key)) return model;
    return disposeOnError(model, async () => {
      // The CPU is the reference: only an answer without finite numbers shows damaged weights.
      if (!isNumeric(await model.knownAnswer(signal))) {
        throw new ModelCorrupt('its weights give no numbers');
      }
      this.#proven.add(key);
      return model;
    });
  }

  /** Returns the model, or one on the CPU with a note that says why. The unused model is disposed. */
  async gpu<M extends Provable>(
    model: M,
    startOnCpu: () => Promise<M>,
    weights: Weights,
    signal: AbortSignal,
  ): Promise<M> {
    const key = `${weights.digest} ${model.device.name}`;
    if (this.#proven.has(key)) return model;
    return disposeOnError(model, async () => {
      const accept = () => {
        this.#proven.add(key);
        return model;
      };
      const outcome = await model.knownAnswer(signal).then(
        (answer) => ({ answer, note: 'the GPU gave a wrong answer to a known question' }),
        (error: Error) => ({
          answer: undefined,
          note: `the GPU failed on a known question: ${error.message}`,
        }),
      );
      signal.throwIfAborted();
      const isPlausibleAnswer = outcome.answer !== undefined && isPlausible(outcome.answer);
      if (isPlausibleAnswer && weights.size > ALWAYS_COMPARED) return accept();
      let reference: M;
      try {
        reference = await this.cpu(await startOnCpu(), weights, signal);
      } catch (error) {
        signal.throwIfAborted();
        // The CPU model could not be loaded: a plausible answer must suffice.
        if (isPlausibleAnswer) return model;
        throw error;
      }
      return disposeOnError(reference, async () => {
        if (outcome.answer && agrees(outcome.answer, await reference.knownAnswer(signal))) {
          await reference.dispose();
          return accept();
        }
        await model.dispose();
        return this.withNote(reference, outcome.note);
      });
    });
  }

  /** Records in the model and in the log why it runs on the CPU. */
  withNote<M extends Provable>(model: M, note: string): M {
    model.device = { ...model.device, note };
    this.log?.warn('the model runs on the CPU', { reason: note });
    return model;
  }
}

async function disposeOnError<T>(model: Provable, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await model.dispose();
    throw error;
  }
}
