/** Places of a UNet's graph, as exporters name its modules. */
import type { OnnxNode, OnnxOutline } from '#core/tensors';
import { constantsOf, moduleOf } from '../graphs/graph-constants.ts';
import type { AttentionNodes } from './attention-nodes.ts';

/** Where a block on the way up puts what comes from below and what was kept on the way down side by side. */
export interface SkipConcat {
  /** Takes [batch, channels, height, width] from below, and what was kept. */
  node: OnnxNode;
  /** Of what comes from below. */
  channels: number;
}

const notFound = (what: string): Error =>
  new Error(
    `${what} not to be found in this model's graph: it is no UNet, or was optimized after its export. Use a UNet as "optimum-cli export onnx" makes it`,
  );

/** In the order of the way up. Throws where the graph names none. */
export function skipConcats(outline: OnnxOutline): SkipConcat[] {
  const givers = new Map(outline.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const joins = outline.nodes
    .filter(
      (node) =>
        node.operator === 'Concat' &&
        node.attributes.axis === 1 &&
        node.inputs.length === 2 &&
        /^up_blocks\.\d+$/.test(moduleOf(node)),
    )
    .map((node) => ({ node, channels: channelsOf(outline, node.inputs[0]!, givers) }));
  if (joins.length === 0 || joins.some(({ channels }) => channels === undefined))
    throw notFound('the blocks on the way up are');
  return joins as SkipConcat[];
}

/** What does not change the number of channels. */
const KEEPING = new Set(['Add', 'Div', 'Mul', 'Cast', 'Identity', 'Resize']);

/** By the convolution that it comes from. */
function channelsOf(
  outline: OnnxOutline,
  value: string,
  givers: ReadonlyMap<string, OnnxNode>,
): number | undefined {
  const [wanted, seen] = [[value], new Set<string>()];
  for (const name of wanted) {
    const node = givers.get(name);
    if (!node || seen.has(name)) continue;
    seen.add(name);
    const channels = node.operator === 'Conv' && kernelOf(outline, node)?.[0];
    if (channels) return channels;
    if (KEEPING.has(node.operator)) wanted.push(...node.inputs);
  }
  return undefined;
}

const kernelOf = (outline: OnnxOutline, { inputs }: OnnxNode): readonly number[] | undefined =>
  constantsOf(outline).get(inputs[1] ?? '')?.initializer.shape;

/** The channels of the first level, of which the others have multiples. Throws where the graph does not name it. */
export function firstChannels(outline: OnnxOutline): number {
  const first = outline.nodes.find((node) => node.operator === 'Conv' && moduleOf(node) === 'conv_in');
  const channels = first && kernelOf(outline, first)?.[0];
  if (!channels) throw notFound('the first convolution is');
  return channels;
}

/** How wide the tokens of an attention are. Throws where its matrix is kept in another way. */
export function attentionWidth(outline: OnnxOutline, { query, module }: AttentionNodes): number {
  const width = constantsOf(outline).get(query.inputs[1] ?? '')?.initializer.shape[0];
  if (!width) throw notFound(`the matrix ${module}.to_q is`);
  return width;
}

/** How many levels of size there are. */
export function levelCount({ nodes }: OnnxOutline): number {
  const blocks = nodes.map((node) => Number(/^down_blocks\.(\d+)\./.exec(moduleOf(node))?.[1] ?? -1));
  return 1 + blocks.reduce((most, block) => Math.max(most, block), -1);
}

/** How many times a module's input was halved. */
export function levelOf(module: string, levels: number): number {
  const [, way, block] = /^(down|up)_blocks\.(\d+)\./.exec(module) ?? [];
  if (way === 'down') return Number(block);
  return way === 'up' ? levels - 1 - Number(block) : levels - 1;
}

/** Height and width after so many halvings, which round up. */
export function levelSize(
  [, , height = 0, width = 0]: readonly number[],
  level: number,
): [height: number, width: number] {
  const halved = (size: number) => Math.ceil(size / 2 ** level);
  return [halved(height), halved(width)];
}

/**
 * What the block gives that the first authors' checkpoints call `input_blocks.N`: 0 is the first convolution, then come the
 * layers of each block and its halving. undefined: there are not so many.
 */
export function inputBlockOutput(outline: OnnxOutline, number: number): string | undefined {
  const modules = outline.nodes.map(moduleOf);
  const layers = new Set(
    modules.flatMap((module) => /^down_blocks\.0\.resnets\.(\d+)/.exec(module)?.[1] ?? []),
  );
  if (layers.size === 0) throw notFound('the blocks on the way down are');
  const [block, layer] = [Math.floor((number - 1) / (layers.size + 1)), (number - 1) % (layers.size + 1)];
  const parts = layer === layers.size ? ['downsamplers.0'] : [`attentions.${layer}`, `resnets.${layer}`];
  for (const part of parts) {
    const module = `down_blocks.${block}.${part}`;
    const last = modules.findLastIndex((name) => name === module || name.startsWith(`${module}.`));
    if (last >= 0) return outline.nodes[last]!.outputs[0];
  }
  return undefined;
}
