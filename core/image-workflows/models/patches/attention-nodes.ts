/** Finds attention modules in a graph by the module names of its nodes. */
import type { OnnxNode, OnnxOutline } from '#core/tensors';
import { moduleOf } from '../graphs/graph-constants.ts';

/** The projections of one attention module. Their values are [batch, tokens, width]. */
export interface AttentionNodes {
  /** `mid_block.attentions.0.transformer_blocks.0.attn1` */
  module: string;
  query: OnnxNode;
  key: OnnxNode;
  value: OnnxNode;
  /** The output projection. Its input is the concatenated heads. */
  out: OnnxNode;
}

const PROJECTIONS = { to_q: 'query', to_k: 'key', to_v: 'value', 'to_out.0': 'out' } as const;
const PROJECTION = /^(.*\battn\d?)\.(to_q|to_k|to_v|to_out\.0)$/;

/**
 * The attention modules whose names match.
 *
 * @throws when the graph names none: it is of another kind, or was optimized after its export.
 */
export function findAttention(
  outline: OnnxOutline,
  module: RegExp,
  what: string,
): [AttentionNodes, ...AttentionNodes[]] {
  const byModule = new Map<string, Partial<AttentionNodes>>();
  for (const node of outline.nodes) {
    const [, name, projection] = (node.operator === 'MatMul' && PROJECTION.exec(moduleOf(node))) || [];
    if (!name || !module.test(name)) continue;
    const nodes = byModule.get(name) ?? { module: name };
    nodes[PROJECTIONS[projection as keyof typeof PROJECTIONS]] = node;
    byModule.set(name, nodes);
  }
  const [first, ...rest] = [...byModule.values()].filter(
    (nodes): nodes is AttentionNodes =>
      nodes.query !== undefined &&
      nodes.key !== undefined &&
      nodes.value !== undefined &&
      nodes.out !== undefined,
  );
  if (!first)
    throw new Error(
      `${what} cannot be found in this model's graph: it is of another kind, or was optimized after its export. Use a UNet as "optimum-cli export onnx" makes it`,
    );
  return [first, ...rest];
}
