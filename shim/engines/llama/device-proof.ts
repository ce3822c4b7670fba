import { type Device, type Log, ModelCorrupt } from '#core/host';
import { agrees, isNumeric, isPlausible } from './device-check.ts';
import type { KnownAnswer } from './protocol.ts';

/** What a proof needs of a loaded model. */
export interface Provable {
  device: Device;
  knownAnswer(signal: AbortSignal): Promise<KnownAnswer>;
  dispose(): Promise<void>;
}

/** What a proof needs of its weights. */
interface Weights {
  digest: string;
  size: number;
}

/** Up to this many bytes a second load on the CPU is cheap enough to compare every answer with. */
const ALWAYS_COMPARED = 2 * 2 ** 30;

/**
 * Nobody gets answers from a device that computes wrongly. GPU and CPU have to agree on a fixed text: always for small
 * models; for large ones, where loading twice would take minutes, only when the GPU finds plain English no likelier
 * than chance. What was proven is remembered for this file and device.
 */
export class DeviceProof {
  readonly #proven = new Set<string>();

  constructor(private readonly log: Log | undefined) {}

  /** The model again. Throws `ModelCorrupt`, having disposed it, when it computes no numbers. */
  async cpu<M extends Provable>(model: M, weights: Weights, signal: AbortSignal): Promise<M> {
    const key = `${weights.digest} cpu`;
    if (this.#proven.has(key)) return model;
    return disposeOnError(model, async () => {
      // The CPU is what others are measured by: only an answer that is no number shows damaged weights.
      if (!isNumeric(await model.knownAnswer(signal))) {
        throw new ModelCorrupt('its weights give no numbers');
      }
      this.#proven.add(key);
      return model;
    });
  }

  /** Keeps the model on its GPU, or returns one on the CPU with a note that says why; the other one is disposed. */
  async gpu<M extends Provable>(
    model: M,
    startOnCpu: () => Promise<M>,
    weights: Weights,
    signal: AbortSignal,
  ): Promise<M> {
    const key = `${weights.digest} ${model.device.name}`;
    if (this.#proven.has(key)) return model;
    return disposeOnError(model, async () => {
      const accepted = () => {
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
      const plausible = outcome.answer !== undefined && isPlausible(outcome.answer);
      if (plausible && weights.size > ALWAYS_COMPARED) return accepted();
      let reference: M;
      try {
        reference = await this.cpu(await startOnCpu(), weights, signal);
      } catch (error) {
        signal.throwIfAborted();
        // Nothing to compare with, nothing to fall back to: a plausible answer has to do.
        if (plausible) return model;
        throw error;
      }
      return disposeOnError(reference, async () => {
        if (outcome.answer && agrees(outcome.answer, await reference.knownAnswer(signal))) {
          await reference.dispose();
          return accepted();
        }
        await model.dispose();
        return this.withNote(reference, outcome.note);
      });
    });
  }

  /** Says at the model and in the log why it runs on the CPU. */
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
