/** Finds parts of a UNet in its graph by the module names of its nodes. */
import type { OnnxNode, OnnxOutline } from '#core/tensors';
import { moduleOf } from '../graphs/graph-constants.ts';
import { operandShape } from '../graphs/operand-shapes.ts';
import type { AttentionNodes } from './attention-nodes.ts';

/** The concatenation of backbone and skip features in a block on the way up. */
export interface SkipConcat {
  /** Its inputs are the backbone [batch, channels, height, width] and the skip connection. */
  node: OnnxNode;
  /** Channels of the backbone. */
  channels: number;
}

const notFound = (what: string): Error =>
  new Error(
    `${what} cannot be found in this model's graph: it is no UNet, or was optimized after its export. Use a UNet as "optimum-cli export onnx" makes it`,
  );

/**
 * The concatenations of skip connections, in the order of the upward path, from the smallest size to the largest.
 *
 * @throws when the graph names none.
 */
export function skipConcats(outline: OnnxOutline): SkipConcat[] {
  const producers = new Map(
    outline.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)),
  );
  const concats = outline.nodes
    .filter(
      (node) =>
        node.operator === 'Concat' &&
        node.attributes.axis === 1 &&
        node.inputs.length === 2 &&
        /^up_blocks\.\d+$/.test(moduleOf(node)),
    )
    .map((node) => ({ node, channels: channelsOf(outline, node.inputs[0]!, producers) }));
  if (concats.length === 0 || concats.some(({ channels }) => channels === undefined))
    throw notFound('the blocks on the way up');
  return concats as SkipConcat[];
}

/** Operators that do not change the number of channels. */
const CHANNEL_PRESERVING = new Set(['Add', 'Div', 'Mul', 'Cast', 'Identity', 'Resize']);

/** The output channels of the convolution that a value comes from. */
function channelsOf(
  outline: OnnxOutline,
  value: string,
  producers: ReadonlyMap<string, OnnxNode>,
): number | undefined {
  const [queue, visited] = [[value], new Set<string>()];
  for (const name of queue) {
    const node = producers.get(name);
    if (!node || visited.has(name)) continue;
    visited.add(name);
    const channels = node.operator === 'Conv' && kernelShape(outline, node)?.[0];
    if (channels) return channels;
    if (CHANNEL_PRESERVING.has(node.operator)) queue.push(...node.inputs);
  }
  return undefined;
}

const kernelShape = (outline: OnnxOutline, { inputs }: OnnxNode): readonly number[] | undefined =>
  operandShape(outline, inputs[1] ?? '');

/**
 * The channels of the first level. Those of the other levels are multiples of it.
 *
 * @throws when the graph does not name its first convolution.
 */
export function firstChannels(outline: OnnxOutline): number {
  const first = outline.nodes.find((node) => node.operator === 'Conv' && moduleOf(node) === 'conv_in');
  const channels = first && kernelShape(outline, first)?.[0];
  if (!channels) throw notFound('the first convolution');
  return channels;
}

/**
 * The width of an attention module's tokens.
 *
 * @throws when its query matrix does not come from a constant of the graph.
 */
export function attentionWidth(outline: OnnxOutline, { query, module }: AttentionNodes): number {
  const width = operandShape(outline, query.inputs[1] ?? '')?.[0];
  if (!width) throw notFound(`the matrix ${module}.to_q`);
  return width;
}

/** The number of levels, which differ in the size of their features. */
export function levelCount({ nodes }: OnnxOutline): number {
  const blocks = nodes.map((node) => Number(/^down_blocks\.(\d+)\./.exec(moduleOf(node))?.[1] ?? -1));
  return 1 + blocks.reduce((max, block) => Math.max(max, block), -1);
}

/** The level of a module: how many times its input was halved. */
export function levelOf(module: string, levels: number): number {
  const [, way, block] = /^(down|up)_blocks\.(\d+)\./.exec(module) ?? [];
  if (way === 'down') return Number(block);
  return way === 'up' ? levels - 1 - Number(block) : levels - 1;
}

/** Height and width on a level, for latents of a shape. Each halving rounds up. */
export function levelSize(
  [, , height = 0, width = 0]: readonly number[],
  level: number,
): [height: number, width: number] {
  const halve = (size: number) => Math.ceil(size / 2 ** level);
  return [halve(height), halve(width)];
}

/**
 * The output value of a block that the original checkpoints call `input_blocks.N`. 0 is the first convolution, then
 * follow the layers and the downsampler of each block. Undefined when the UNet has fewer blocks.
 *
 * @throws when the graph does not name its blocks.
 */
export function inputBlockOutput(outline: OnnxOutline, number: number): string | undefined {
  const modules = outline.nodes.map(moduleOf);
  const layers = new Set(
    modules.flatMap((module) => /^down_blocks\.0\.resnets\.(\d+)/.exec(module)?.[1] ?? []),
  );
  if (layers.size === 0) throw notFound('the blocks on the way down');
  const [block, layer] = [Math.floor((number - 1) / (layers.size + 1)), (number - 1) % (layers.size + 1)];
  const parts = layer === layers.size ? ['downsamplers.0'] : [`attentions.${layer}`, `resnets.${layer}`];
  for (const part of parts) {
    const module = `down_blocks.${block}.${part}`;
    const last = modules.findLastIndex((name) => name === module || name.startsWith(`${module}.`));
    if (last >= 0) return outline.nodes[last]!.outputs[0];
  }
  return undefined;
}
