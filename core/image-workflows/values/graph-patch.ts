/** Graph patches: nodes that are inserted into a network's graph. Some are switched on for single passes only. */
import type { Tensor } from '#core/host';
import type { OnnxOutline } from '#core/tensors';
import type { GraphChange } from './model-graph.ts';
import type { FloatTensor } from './tensor.ts';

/** The patches that count in one pass of a network. */
export interface ActivePatches {
  /** Keys of switchable patches that are on. All others are off. */
  readonly switches?: ReadonlySet<string>;
  /** Receives the activations that patches capture, [batch, …] by output name. */
  readonly onCapture?: (values: Readonly<Record<string, FloatTensor>>) => void;
}

export interface GraphPatch {
  /** Patches with equal keys are interchangeable. */
  readonly key: string;
  /** @throws when the graph lacks the patched part or does not name it. */
  build(outline: OnnxOutline, signal: AbortSignal): GraphPatchParts | Promise<GraphPatchParts>;
  /** Names of the outputs that the patch adds, for `ActivePatches.onCapture`. */
  readonly outputs?: readonly string[];
}

/** A patch for one graph. Without insertions and fields the network stays as it is. */
export interface GraphPatchParts extends Pick<GraphChange, 'insertions' | 'fields'> {
  /** The values of the added inputs in one run. */
  readonly feeds?: (run: GraphPatchRun) => Readonly<Record<string, Tensor>>;
}

export interface GraphPatchRun {
  /** The network's input for each prompt, [batch, channels, height, width]. */
  readonly x: FloatTensor;
  readonly timestep: number;
  /** The noise level of `timestep`. Undefined outside of sampling. */
  readonly sigma: number | undefined;
  readonly switches: ReadonlySet<string>;
}
