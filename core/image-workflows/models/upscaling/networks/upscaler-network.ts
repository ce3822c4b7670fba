import { ModelUnsupported } from '#core/host';
import { GraphBuilder } from '#core/tensors';
import { NetworkModule, type Value } from '../../layers/network-module.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';

/** Red, green and blue. */
export const COLORS = 3;

/** A network that enlarges images, built for the weights of a file. */
export interface UpscalerNetwork {
  /** How many times larger each side becomes. */
  readonly scale: number;
  /** Sides of the graph's input are multiples of this. */
  readonly multiple: number;
  /** The smallest side of the graph's input: a multiple of `multiple`. */
  readonly minimum: number;
  /** The tensors that the graph uses, by the names that it gives them. */
  readonly weights: WeightTable;
  /** An ONNX model. Input: `image` [batch, 3, height, width] in 0..1. Output: `larger`, the same with larger sides. */
  readonly graph: Uint8Array<ArrayBuffer>;
}

/** A kind of upscaler. */
export interface UpscalerKind {
  readonly name: string;
  /**
   * Builds the network. Undefined for weights of another kind.
   * @throws ModelUnsupported for missing weights, weights without a place in the network, and other colours than RGB
   */
  read(table: WeightTable): UpscalerNetwork | undefined;
}

/** The end of a network's graph, and the sizes that its input may have. */
export interface BuiltUpscaler {
  larger: Value;
  scale: number;
  multiple: number;
  /** Default: `multiple`. */
  minimum?: number;
}

/** Tensors that trainers store and that are no weights: tables which follow from the network's sizes. */
const COMPUTED =
  /(^|\.)(relative_position_index(_\w+)?|attn_mask(_\w+)?|rpe_biases|relative_coords_table|num_batches_tracked)$/;

/**
 * Builds the model of a network from the nodes that `build` adds.
 * @param normGroups groups of its group norms
 * @throws ModelUnsupported when a weight has no place in the network: its result would be wrong
 */
export function upscalerNetwork(
  weights: WeightTable,
  build: (root: NetworkModule, image: Value) => BuiltUpscaler,
  normGroups?: number,
): UpscalerNetwork {
  const graph = new GraphBuilder(weights);
  const {
    larger,
    scale,
    multiple,
    minimum = multiple,
  } = build(new NetworkModule(graph, '', normGroups), 'image');
  const unused = [...weights.keys()].filter((name) => !graph.uses(name) && !COMPUTED.test(name));
  if (unused.length > 0)
    throw new ModelUnsupported(
      `${unused.length} of its tensors have no place in this network: ${unused.slice(0, 3).join(', ')}`,
    );
  graph.node('Identity', [larger], {}, 'larger');
  const bytes = graph.buildModel(
    [{ name: 'image', type: 'float32', shape: ['batch', COLORS, 'height', 'width'] }],
    [{ name: 'larger', type: 'float32', shape: ['batch', COLORS, 'larger height', 'larger width'] }],
  );
  return { scale, multiple, minimum, weights, graph: bytes };
}

/** @throws ModelUnsupported for an input and output that are not RGB. */
export function requireColors(inputs: number | undefined, outputs: number | undefined): void {
  if (inputs !== COLORS || outputs !== COLORS)
    throw new ModelUnsupported(
      `it takes ${inputs} channels and makes ${outputs}: only networks from RGB to RGB can be used`,
    );
}
