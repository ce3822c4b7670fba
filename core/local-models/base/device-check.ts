/** Models of ONNX graphs run on the CPU where a GPU gives a wrong answer to a known question. */
import {
  type Device,
  type LoadOptions,
  type Log,
  ModelCorrupt,
  type ModelFile,
  type TensorProvider,
} from '#core/host';

/** A model with what its question needs. */
export interface OpenedModel {
  model: { readonly device: Device; dispose(): Promise<void> };
}

/** A question to a model, and how its answers are compared. */
export interface KnownQuestion<O extends OpenedModel> {
  /** The numbers of the model's answer. Undefined: it has none. */
  ask(opened: O, signal: AbortSignal): Promise<Float32Array | undefined>;
  /** Whether two correct devices may give these answers. */
  isAlike(answer: Float32Array, expected: Float32Array): boolean;
  /** The same model with another description of its device. */
  onDevice(opened: O, device: Device): O['model'];
  /** Logged when the CPU takes the place of the GPU. */
  warning: string;
}

export class DeviceCheck<O extends OpenedModel> {
  /** Weights and GPUs that have given the right answer. */
  readonly #proven = new Set<string>();

  constructor(
    private readonly question: KnownQuestion<O>,
    private readonly log: Log,
  ) {}

  /**
   * Opens a model, asks it, and compares the answer of a GPU with that of the CPU. After a wrong one it returns the model
   * on the CPU, whose device has a note.
   * @param files those that decide the answer
   * @param open opens the model on the first provider that takes it
   * @throws ModelCorrupt when the CPU computes no finite numbers; what `open` throws; the signal's reason
   */
  async open(
    files: readonly ModelFile[],
    { gpuLayers }: Pick<LoadOptions, 'gpuLayers'>,
    open: (providers: TensorProvider[]) => Promise<O>,
    signal: AbortSignal,
  ): Promise<O['model']> {
    const opened = await open(gpuLayers === 0 ? ['wasm'] : ['webgpu', 'wasm']);
    const { model } = opened;
    const answer = await this.#answer(opened, signal);
    if (model.device.kind === 'cpu') return answer ? model : refuseDamaged(opened);
    const key = `${files.map(({ digest }) => digest).join(' ')} ${model.device.name}`;
    if (answer && this.#proven.has(key)) return model;
    const chosen = await this.#compareWithCpu(opened, answer, () => open(['wasm']), signal);
    if (chosen === model) this.#proven.add(key);
    return chosen;
  }

  /** Returns the model when its answer is like the CPU's, otherwise the model on the CPU. Disposes of the other. */
  async #compareWithCpu(
    { model }: O,
    answer: Float32Array | undefined,
    openOnCpu: () => Promise<O>,
    signal: AbortSignal,
  ): Promise<O['model']> {
    let reference: O;
    let expected: Float32Array | undefined;
    try {
      reference = await openOnCpu();
      expected = await this.#answer(reference, signal);
    } catch (error) {
      await model.dispose();
      throw error;
    }
    if (answer && expected && this.question.isAlike(answer, expected)) {
      await reference.model.dispose();
      return model;
    }
    await model.dispose();
    if (!expected) return refuseDamaged(reference);
    const note = `${model.device.name} gave a wrong answer to a known question`;
    this.log.warn(this.question.warning, { note });
    return this.question.onDevice(reference, { ...reference.model.device, note });
  }

  /**
   * Undefined when a GPU fails, or any device computes numbers that are not finite.
   * @throws what the CPU throws, or the reason of `signal`; the model is then disposed of
   */
  async #answer(opened: O, signal: AbortSignal): Promise<Float32Array | undefined> {
    const { model } = opened;
    try {
      const numbers = await this.question.ask(opened, signal);
      return numbers?.every(Number.isFinite) ? numbers : undefined;
    } catch (error) {
      if (model.device.kind === 'cpu' || signal.aborted) {
        await model.dispose();
        throw error;
      }
      return undefined;
    }
  }
}

async function refuseDamaged({ model }: OpenedModel): Promise<never> {
  await model.dispose();
  throw new ModelCorrupt('it computes no finite numbers: its weights are damaged');
}
