/** Where attention happens in a graph, as exporters name its modules. */
import type { OnnxNode, OnnxOutline } from '#core/tensors';
import { moduleOf } from '../graphs/graph-constants.ts';

/** One attention of one block: the matrices around it. Values are [batch, tokens, width]. */
export interface AttentionNodes {
  /** `mid_block.attentions.0.transformer_blocks.0.attn1` */
  module: string;
  query: OnnxNode;
  key: OnnxNode;
  value: OnnxNode;
  /** Takes what the heads give, put together. */
  out: OnnxNode;
}

const PARTS = { to_q: 'query', to_k: 'key', to_v: 'value', 'to_out.0': 'out' } as const;
const PART = /^(.*\battn\d?)\.(to_q|to_k|to_v|to_out\.0)$/;

/** Those whose module matches. Throws where the graph names none: it was optimized after its export, or is of another kind. */
export function findAttention(
  outline: OnnxOutline,
  module: RegExp,
  what: string,
): [AttentionNodes, ...AttentionNodes[]] {
  const found = new Map<string, Partial<AttentionNodes>>();
  for (const node of outline.nodes) {
    const [, name, part] = (node.operator === 'MatMul' && PART.exec(moduleOf(node))) || [];
    if (!name || !module.test(name)) continue;
    const place = found.get(name) ?? { module: name };
    place[PARTS[part as keyof typeof PARTS]] = node;
    found.set(name, place);
  }
  const [first, ...rest] = [...found.values()].filter(
    (place): place is AttentionNodes =>
      place.query !== undefined &&
      place.key !== undefined &&
      place.value !== undefined &&
      place.out !== undefined,
  );
  if (!first)
    throw new Error(
      `${what} is not to be found in this model's graph: it is of another kind, or was optimized after its export. Use a UNet as "optimum-cli export onnx" makes it`,
    );
  return [first, ...rest];
}
