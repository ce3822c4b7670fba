/** Computes losses and gradients of an adapter on one network. The graphs run in the session of the network. */
import { type Host, type Tensor, usedBytes } from '#core/host';
import type { Adapter } from '../../values/adapter.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { GraphChange, ModelGraph } from '../../values/model-graph.ts';
import type { DiffusionNetwork, NetworkPrompt } from '../../values/network.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { activationType } from '../graphs/graph-fields.ts';
import { toFloatTensor } from '../graphs/session-tensors.ts';
import { type LoraParameters, loraParameters } from './lora-parameters.ts';
import { LOSSES, type LossName } from './losses.ts';
import type { TrainedTensor } from './optimizers.ts';
import { traceGraph } from './traced-graph.ts';
import { type TrainableParameters, trainableParameters } from './trainable-parameters.ts';
import { TRAINING_INPUTS, type TrainedInput, trainingGraph } from './training-graph.ts';

/** One run of the network. */
export interface TrainingInput {
  /** [1, channels, height, width] */
  x: FloatTensor;
  timestep: number;
  prompt: NetworkPrompt;
}

/** The loss compares `scale` times the network's output with `target`, of the shape of `x`. */
export interface TrainingGoal {
  target: FloatTensor;
  scale: number;
}

export interface TrainerOptions {
  host: Host;
  loss: LossName;
  rank: number;
  /** Numbers from 0 to 1, for the first values of the factors. */
  random: () => number;
  /** An adapter that is trained further. */
  existing?: Adapter | undefined;
  signal: AbortSignal;
}

/** The graph for one size of input. */
interface Prepared {
  network: DiffusionNetwork;
  trained: readonly TrainedInput[];
  output: string;
}

/** Bytes for each trained number: its value, its gradient, what the optimiser remembers, and the copies of the session. */
const BYTES_FOR_EACH = 24;
export class LoraTrainer {
  readonly #prepared = new Map<string, Prepared>();
  #parameters: LoraParameters | undefined;
  #trainable: TrainableParameters | undefined;
  readonly #graph: ModelGraph;

  /** Throws for networks that cannot be trained here. */
  constructor(
    private readonly model: DiffusionModel,
    private readonly options: TrainerOptions,
  ) {
    this.#graph = trainableGraph(model);
  }

  /** The trained tensors and ranks. Undefined before the first `accumulate`. */
  get parameters(): LoraParameters | undefined {
    return this.#parameters;
  }

  /** The layers and vectors that the adapter changes. Undefined before the first `accumulate`. */
  get trainable(): TrainableParameters | undefined {
    return this.#trainable;
  }

  /**
   * Adds `share` times the gradients of the loss to those of the trained tensors. Resolves to the loss. Rejects when the
   * network has an operator without a rule, when memory is short, and as `DiffusionNetwork.run`.
   */
  async accumulate(input: TrainingInput, { target, scale }: TrainingGoal, share: number): Promise<number> {
    const { signal, loss } = this.options;
    const { network, trained, output } = await this.#prepare(input);
    const tensors = this.#parameters!.tensors;
    const added: Record<string, Tensor> = {
      [TRAINING_INPUTS.target]: { type: 'float32', ...target },
      [TRAINING_INPUTS.scale]: { type: 'float32', shape: [1], data: Float32Array.of(scale) },
    };
    for (const [name, { shape, values }] of tensors)
      added[`training/${name}`] = { type: 'float32', shape, data: values };
    const names = [output, ...trained.map(({ gradient }) => gradient)];
    const results = await network.run!({ ...input, added }, names, signal);
    for (const { name, gradient } of trained)
      addScaled(tensors.get(name)!, toFloatTensor(results[gradient]!).data, share);
    const { data } = toFloatTensor(results[output]!);
    let sum = 0;
    for (let at = 0; at < data.length; at++) sum += LOSSES[loss].of(scale * data[at]! - target.data[at]!);
    return sum / data.length;
  }

  async #prepare(input: TrainingInput): Promise<Prepared> {
    const { x, prompt } = input;
    const key = [x.shape, prompt.tensor.shape, prompt.concat?.shape].join(' ');
    const found = this.#prepared.get(key);
    if (found) return found;
    const { network } = this.model;
    const { signal } = this.options;
    let measured: ModelGraph | undefined;
    const copyOf = (change: GraphChange) => {
      measured = this.#graph.withChange(change);
      return network.withGraph!(measured);
    };
    const outline = await this.#graph.source.outline();
    if (activationType(outline) !== 'F32')
      throw new Error(
        'this network computes in 16 bits, and training needs 32: use a file of weights, or a graph that was exported in 32 bits',
      );
    const traced = await traceGraph(this.#graph, (change, outputs) =>
      copyOf(change).run!({ ...input, added: {} }, outputs, signal),
    );
    // Its nodes are those of this size.
    const trainable = trainableParameters(outline, traced);
    this.#trainable ??= trainable;
    if (trainable.layers.length === 0)
      throw new Error('the graph of this network does not name its weights, so it cannot be trained');
    const { rank, random, existing, loss } = this.options;
    this.#parameters ??= await loraParameters(trainable, rank, random, existing);
    const output = await network.outputName!();
    const { change, trained, memory } = trainingGraph(outline, traced, trainable, {
      ...{ key: `${key} ${ranksKey(this.#parameters)} ${loss}`, output, loss },
      ranks: this.#parameters.ranks,
    });
    await this.#checkMemory(memory, x.shape, (await measured!.session(signal)).device.kind);
    const prepared = { network: copyOf(change), trained, output };
    this.#prepared.set(key, prepared);
    return prepared;
  }

  /** @param results bytes of the results that the backward pass needs */
  async #checkMemory(
    results: number,
    [, , height = 0, width = 0]: readonly number[],
    device: 'gpu' | 'cpu',
  ): Promise<void> {
    const { machine, tensorEngine } = this.options.host;
    let needed = results;
    for (const { values } of this.#parameters!.tensors.values()) needed += BYTES_FOR_EACH * values.length;
    const weights = usedBytes(await this.#graph.source.parts());
    const limit = device === 'cpu' ? tensorEngine?.cpuMemory : undefined;
    // The machine counts the weights as used already.
    const free = Math.min(
      machine.memoryFree?.() ?? Number.POSITIVE_INFINITY,
      limit === undefined ? Number.POSITIVE_INFINITY : Math.max(limit - weights, 0),
    );
    if (needed <= free) return;
    const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);
    throw new Error(
      `training with latents of ${width} x ${height} needs ${gigabytes(needed)} GB of memory besides the weights, and ${gigabytes(free)} GB are free: use smaller images, or a smaller rank`,
    );
  }

  /** Frees the memory of the graph, which holds the results of the network. */
  close(): Promise<void> {
    return this.#graph.unload();
  }
}

/** Graphs with other ranks differ. */
const ranksKey = ({ ranks }: LoraParameters): string =>
  [...ranks.values()].map(({ rank, scale }) => `${rank}:${scale}`).join();

function addScaled({ gradient }: TrainedTensor, numbers: Float32Array, share: number): void {
  for (let at = 0; at < gradient.length; at++) gradient[at]! += share * numbers[at]!;
}

/** The graph of a network that can be trained. */
function trainableGraph({ network, configs, family }: DiffusionModel): ModelGraph {
  const { graph, patches = [] } = network;
  if (!graph || !network.run || !network.withGraph || !network.outputName)
    throw new Error('this model has no weights that could be trained');
  if (configs?.kind !== 'sd' && configs?.kind !== 'sdxl')
    throw new Error(
      `${family?.name ?? 'this kind of network'} cannot be trained here: the networks of Stable Diffusion 1, 2 and SDXL can`,
    );
  const [patch] = patches;
  if (patch)
    throw new Error(`a network with patches cannot be trained: remove the node that makes "${patch.key}"`);
  return graph;
}
