/** What flows through the blocks of a transformer: each adds to one stream of tokens, or to those of the picture and of the text. */
import type { OnnxNode, OnnxOutline } from '#core/tensors';
import { moduleOf } from '../graphs/graph-constants.ts';

/** A stream before and after a block: values of the graph, of one shape. */
export interface BlockStream {
  readonly before: string;
  readonly after: string;
  /** How many times the block adds to it. */
  readonly times: number;
}

const BLOCK = /^(?:single_)?transformer_blocks\.\d+$/;
/** Parts of a block that give what is added to a stream. Its norms give something else. */
const ADDING = /^(?:attn\d?|ff|ff_context|proj_out)(?:\.|$)/;

/**
 * By the names of blocks: `transformer_blocks.7`, `single_transformer_blocks.0`. undefined where the graph names no such blocks, or
 * not all that they do.
 */
export function blockStreams(outline: OnnxOutline): Map<string, BlockStream[]> | undefined {
  const blocks = everyStream(outline);
  const last = Math.max(
    ...[...blocks.keys()].map((name) => Number(/^transformer_blocks\.(\d+)/.exec(name)?.[1] ?? -1)),
  );
  const isWhole = ([name, streams]: [string, BlockStream[]]) => {
    if (name.startsWith('single')) return streams.length === 1;
    // Attention and what follows it. The last one of Stable Diffusion 3 lets the text be.
    const count = streams.length === 1 && name === `transformer_blocks.${last}` ? 1 : 2;
    return streams.length === count && streams.every(({ times }) => times >= 2);
  };
  return blocks.size > 0 && [...blocks].every(isWhole) ? blocks : undefined;
}

function everyStream(outline: OnnxOutline): Map<string, BlockStream[]> {
  const makers = new Map<string, OnnxNode>();
  for (const node of outline.nodes) for (const output of node.outputs) makers.set(output, node);
  const blocks = new Map<string, BlockStream[]>();
  for (const node of outline.nodes) {
    const block = moduleOf(node);
    if (node.operator !== 'Add' || !BLOCK.test(block)) continue;
    const added = node.inputs.findIndex((value) => isGated(makers, block, value));
    const [before, after] = [node.inputs[1 - added], node.outputs[0]];
    if (added < 0 || !before || !after) continue;
    blocks.set(block, joined(blocks.get(block) ?? [], { before, after, times: 1 }));
  }
  return blocks;
}

/** gate x what a part of the block gives, as it is or rounded. */
function isGated(makers: ReadonlyMap<string, OnnxNode>, block: string, value: string): boolean {
  const product = makers.get(value);
  if (product?.operator !== 'Mul' || moduleOf(product) !== block) return false;
  return product.inputs.some((factor) => {
    let maker = makers.get(factor);
    while (maker && moduleOf(maker) === block && /^(?:Cast|Identity)$/.test(maker.operator))
      maker = makers.get(maker.inputs[0] ?? '');
    const module = maker ? moduleOf(maker) : '';
    return module.startsWith(`${block}.`) && ADDING.test(module.slice(block.length + 1));
  });
}

/** What is added to one stream after another, joined to one way. Nodes come in any order. */
function joined(streams: readonly BlockStream[], added: BlockStream): BlockStream[] {
  const earlier = streams.find(({ after }) => after === added.before);
  const later = streams.find(({ before }) => before === added.after);
  return [
    ...streams.filter((stream) => stream !== earlier && stream !== later),
    {
      before: earlier?.before ?? added.before,
      after: later?.after ?? added.after,
      times: added.times + (earlier?.times ?? 0) + (later?.times ?? 0),
    },
  ];
}
