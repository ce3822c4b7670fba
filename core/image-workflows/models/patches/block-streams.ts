/** Finds the residual streams of a transformer's blocks: the values to which each block adds its results. */
import type { OnnxNode, OnnxOutline } from '#core/tensors';
import { moduleOf } from '../graphs/graph-constants.ts';
import { BLOCK_INPUT, BLOCK_OUTPUT } from '../layers/marked-block.ts';

/** A stream before and after a block. Both values have the same shape. */
export interface BlockStream {
  readonly before: string;
  readonly after: string;
  /** The number of additions of the block to the stream. */
  readonly additions: number;
}

const BLOCK = /^(?:single_)?transformer_blocks\.\d+$/;
const MARK = new RegExp(`^(.*\\.(\\d+))\\.${BLOCK_INPUT}$`);
/** The submodules whose results are added to a stream. Norms are not among them. */
const ADDED = /^(?:attn\d?|ff|ff_context|proj_out)(?:\.|$)/;

/** The streams of blocks that are marked, by the names that the blocks have in diffusers. */
function markedStreams({ nodes }: OnnxOutline): Map<string, BlockStream[]> {
  const outputs = new Map(nodes.map((node) => [moduleOf(node), node.outputs[0] ?? '']));
  const blocks = new Map<string, BlockStream[]>();
  for (const [module, before] of outputs) {
    const [, block, number] = MARK.exec(module) ?? [];
    const after = outputs.get(`${block}.${BLOCK_OUTPUT}`);
    if (after !== undefined) blocks.set(`transformer_blocks.${number}`, [{ before, after, additions: 1 }]);
  }
  return blocks;
}

/**
 * The streams by block name (`transformer_blocks.7`, `single_transformer_blocks.0`). A double-stream block has one for
 * the image and one for the text. Undefined when the graph does not name its blocks, or lacks some of their streams.
 */
export function blockStreams(outline: OnnxOutline): Map<string, BlockStream[]> | undefined {
  const marked = markedStreams(outline);
  if (marked.size > 0) return marked;
  const blocks = findStreams(outline);
  const last = Math.max(
    ...[...blocks.keys()].map((name) => Number(/^transformer_blocks\.(\d+)/.exec(name)?.[1] ?? -1)),
  );
  const isComplete = ([name, streams]: [string, BlockStream[]]) => {
    if (name.startsWith('single')) return streams.length === 1;
    // The last block of Stable Diffusion 3 leaves the text unchanged.
    const count = streams.length === 1 && name === `transformer_blocks.${last}` ? 1 : 2;
    // Each stream gets the results of attention and of the feed-forward network.
    return streams.length === count && streams.every(({ additions }) => additions >= 2);
  };
  return blocks.size > 0 && [...blocks].every(isComplete) ? blocks : undefined;
}

function findStreams(outline: OnnxOutline): Map<string, BlockStream[]> {
  const producers = new Map<string, OnnxNode>();
  for (const node of outline.nodes) for (const output of node.outputs) producers.set(output, node);
  const blocks = new Map<string, BlockStream[]>();
  for (const node of outline.nodes) {
    const block = moduleOf(node);
    if (node.operator !== 'Add' || !BLOCK.test(block)) continue;
    const added = node.inputs.findIndex((value) => isGated(producers, block, value));
    const [before, after] = [node.inputs[1 - added], node.outputs[0]];
    if (added < 0 || !before || !after) continue;
    blocks.set(block, extend(blocks.get(block) ?? [], { before, after, additions: 1 }));
  }
  return blocks;
}

/** Whether a value is gate x result of a submodule, possibly cast. */
function isGated(producers: ReadonlyMap<string, OnnxNode>, block: string, value: string): boolean {
  const product = producers.get(value);
  if (product?.operator !== 'Mul' || moduleOf(product) !== block) return false;
  return product.inputs.some((factor) => {
    let producer = producers.get(factor);
    while (producer && moduleOf(producer) === block && /^(?:Cast|Identity)$/.test(producer.operator))
      producer = producers.get(producer.inputs[0] ?? '');
    const module = producer ? moduleOf(producer) : '';
    return module.startsWith(`${block}.`) && ADDED.test(module.slice(block.length + 1));
  });
}

/** Joins an addition to the stream that it extends. Nodes may come in any order. */
function extend(streams: readonly BlockStream[], addition: BlockStream): BlockStream[] {
  const earlier = streams.find(({ after }) => after === addition.before);
  const later = streams.find(({ before }) => before === addition.after);
  return [
    ...streams.filter((stream) => stream !== earlier && stream !== later),
    {
      before: earlier?.before ?? addition.before,
      after: later?.after ?? addition.after,
      additions: addition.additions + (earlier?.additions ?? 0) + (later?.additions ?? 0),
    },
  ];
}
