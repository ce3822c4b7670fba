/** The UNet's inner levels in smaller size for a part of the sampling, as kohya-ss's "Deep Shrink" has it. */
import type { OnnxNode, OnnxOutline } from '#core/tensors';
import type { GraphPatch } from '../../values/graph-patch.ts';
import type { GraphInsertion } from '../../values/model-graph.ts';
import type { ModelSampling } from '../../values/noise-levels.ts';
import { moduleOf } from '../graphs/graph-constants.ts';
import { inputField } from '../graphs/graph-fields.ts';
import { isUnetResidual } from '../networks/control-residuals.ts';
import { type GraphResizeMethod, resizeTo } from './graph-resize.ts';
import { NodeBuilder, requireOpset } from './node-builder.ts';
import { recomputeShapes } from './runtime-shapes.ts';
import { inputBlockOutput, skipConcats } from './unet-structure.ts';

export interface DeepShrinkOptions {
  /** `input_blocks.N` of the first authors, whose output becomes smaller. */
  readonly block: number;
  readonly factor: number;
  /** Shares of the sampling. */
  readonly start: number;
  readonly end: number;
  /** What is kept for the way up stays as large as it was. */
  readonly afterSkip: boolean;
  readonly down: GraphResizeMethod;
  readonly up: GraphResizeMethod;
}

/** Where the UNet has fewer blocks nothing is changed. */
export function deepShrink(options: DeepShrinkOptions, sampling: ModelSampling): GraphPatch {
  const { block, factor, afterSkip, down, up } = options;
  const [most, least] = [sampling.sigmaAt(options.start), sampling.sigmaAt(options.end)];
  const key = `downscale ${block} ${factor} ${most} ${least} ${afterSkip} ${down} ${up}`;
  const input = `tabd/${key}`;
  return {
    key,
    build(outline) {
      requireOpset(outline, 'PatchModelAddDownscale');
      const value = inputBlockOutput(outline, block);
      if (value === undefined) return {};
      const smaller = (from: string, to: string) => {
        const chain = new NodeBuilder(outline, to);
        const size = chain.cast(chain.sizes(from, 2, 4), 'F32');
        const scaled = chain.op('Round', [chain.op('Mul', [size, input])]);
        const whole = chain.cast(chain.op('Max', [scaled, chain.float(1)]), 'I64');
        resizeTo(chain, from, whole, down, to);
        return chain.fields;
      };
      /** As large as another value. */
      const fitted = (other: string, method: GraphResizeMethod) => (from: string, to: string) => {
        const chain = new NodeBuilder(outline, to);
        resizeTo(chain, from, chain.sizes(other, 2, 4), method, to);
        return chain.fields;
      };
      const insertions: GraphInsertion[] = afterSkip
        ? takersOnTheWayDown(outline, value).map((at) => ({ at, parts: smaller }))
        : [{ at: { value }, parts: smaller }];
      for (const { node } of skipConcats(outline))
        insertions.push({ at: { node, input: 0 }, parts: fitted(node.inputs[1]!, up) });
      // What control nets add has the size that it would have without.
      for (const node of outline.nodes) {
        const residual = node.operator === 'Add' ? node.inputs.findIndex(isUnetResidual) : -1;
        if (residual < 0 || !outline.inputs.includes(node.inputs[residual]!)) continue;
        const other = node.inputs[1 - residual]!;
        insertions.push({ at: { node, input: residual }, parts: fitted(other, 'bilinear') });
      }
      insertions.push(...recomputeShapes(outline));
      return {
        insertions,
        fields: [inputField(input, 'F32', [])],
        feeds({ timestep, sigma = sampling.sigmaOf(timestep) }) {
          const isOn = sigma <= most && sigma >= least;
          return { [input]: { type: 'float32', shape: [], data: Float32Array.of(isOn ? 1 / factor : 1) } };
        },
      };
    },
  };
}

/** Those that take a value on the way down; what is kept for the way up is taken beyond the blocks. */
function takersOnTheWayDown({ nodes }: OnnxOutline, value: string): { node: OnnxNode; input: number }[] {
  return nodes
    .filter((node) => /^(down_blocks|mid_block)\b/.test(moduleOf(node)))
    .flatMap((node) => node.inputs.flatMap((name, input) => (name === value ? [{ node, input }] : [])));
}
