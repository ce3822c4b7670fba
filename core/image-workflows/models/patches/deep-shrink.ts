/** Deep Shrink (kohya-ss): the inner levels of a UNet work at a smaller size for a part of the sampling. */
import type { OnnxNode, OnnxOutline } from '#core/tensors';
import type { GraphPatch } from '../../values/graph-patch.ts';
import type { GraphInsertion } from '../../values/model-graph.ts';
import type { ModelSampling } from '../../values/noise-levels.ts';
import { moduleOf } from '../graphs/graph-constants.ts';
import { inputField } from '../graphs/graph-fields.ts';
import { isInputBlockResidual, isUnetResidual } from '../networks/control-residuals.ts';
import { type GraphResizeMethod, resizeTo } from './graph-resize.ts';
import { NodeBuilder, requireOpset } from './node-builder.ts';
import { recomputeShapes } from './runtime-shapes.ts';
import { inputBlockOutput, skipConcats } from './unet-structure.ts';

export interface DeepShrinkOptions {
  /** The number of the block (`input_blocks.N` of the original checkpoints) whose output is shrunk. */
  readonly block: number;
  readonly factor: number;
  /** Shares of the sampling, 0 to 1. */
  readonly start: number;
  readonly end: number;
  /** The skip connection of the block keeps its size. */
  readonly afterSkip: boolean;
  readonly down: GraphResizeMethod;
  readonly up: GraphResizeMethod;
}

/** Changes nothing when the UNet has fewer blocks. */
export function deepShrink(options: DeepShrinkOptions, sampling: ModelSampling): GraphPatch {
  const { block, factor, afterSkip, down, up } = options;
  const [highest, lowest] = [sampling.sigmaAt(options.start), sampling.sigmaAt(options.end)];
  const key = `downscale ${block} ${factor} ${highest} ${lowest} ${afterSkip} ${down} ${up}`;
  // The factor for height and width: 1 outside of the part of the sampling.
  const input = `tabd/${key}`;
  return {
    key,
    build(outline) {
      requireOpset(outline, 'PatchModelAddDownscale');
      const value = inputBlockOutput(outline, block);
      if (value === undefined) return {};
      const shrink = shrinkBy(outline, input, down);
      const insertions: GraphInsertion[] = afterSkip
        ? consumersOnTheWayDown(outline, value).map((at) => ({ at, parts: shrink }))
        : [{ at: { value }, parts: shrink }];
      for (const { node } of skipConcats(outline))
        insertions.push({ at: { node, input: 0 }, parts: resizeLike(outline, node.inputs[1]!, up) });
      insertions.push(...resizedResiduals(outline), ...recomputeShapes(outline));
      return {
        insertions,
        fields: [inputField(input, 'F32', [])],
        feeds({ timestep, sigma = sampling.sigmaOf(timestep) }) {
          const isOn = sigma <= highest && sigma >= lowest;
          return { [input]: { type: 'float32', shape: [], data: Float32Array.of(isOn ? 1 / factor : 1) } };
        },
      };
    },
  };
}

/** Multiplies height and width by a factor from a graph input. */
const shrinkBy =
  (outline: OnnxOutline, factor: string, method: GraphResizeMethod): GraphInsertion['parts'] =>
  (from, to) => {
    const builder = new NodeBuilder(outline, to);
    const size = builder.cast(builder.sizes(from, 2, 4), 'F32');
    const scaled = builder.op('Round', [builder.op('Mul', [size, factor])]);
    const newSize = builder.cast(builder.op('Max', [scaled, builder.float(1)]), 'I64');
    resizeTo(builder, from, newSize, method, to);
    return builder.fields;
  };

/** Resizes a value to the size of another one. */
const resizeLike =
  (outline: OnnxOutline, other: string, method: GraphResizeMethod): GraphInsertion['parts'] =>
  (from, to) => {
    const builder = new NodeBuilder(outline, to);
    resizeTo(builder, from, builder.sizes(other, 2, 4), method, to);
    return builder.fields;
  };

const isResidual = (name: string): boolean => isUnetResidual(name) || isInputBlockResidual(name);

/** The residuals of control nets have the sizes of the unpatched network, so they are resized. */
function resizedResiduals(outline: OnnxOutline): GraphInsertion[] {
  return outline.nodes.flatMap((node) => {
    const residual = node.operator === 'Add' ? node.inputs.findIndex(isResidual) : -1;
    if (residual < 0 || !outline.inputs.includes(node.inputs[residual]!)) return [];
    const other = node.inputs[1 - residual]!;
    return [{ at: { node, input: residual }, parts: resizeLike(outline, other, 'bilinear') }];
  });
}

/** The inputs that take a value on the way down. Skip connections leave the blocks' modules, so they are not included. */
function consumersOnTheWayDown({ nodes }: OnnxOutline, value: string): { node: OnnxNode; input: number }[] {
  return nodes
    .filter((node) => /^(down_blocks|mid_block)\b/.test(moduleOf(node)))
    .flatMap((node) => node.inputs.flatMap((name, input) => (name === value ? [{ node, input }] : [])));
}
