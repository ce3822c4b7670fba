/** Control nets of transformers in files of weights. */
import type { StoredTensor } from '#core/tensors';
import { hunyuanDitControlGraph } from '../families/hunyuan-dit/hunyuan-dit-control-graph.ts';
import { hunyuanDitLayout } from '../families/hunyuan-dit/hunyuan-dit-layout.ts';
import { fluxControlGraph } from '../families/joint-attention/flux-control-graph.ts';
import { originalTransformer } from '../families/joint-attention/original-transformer-weights.ts';
import { sd3ControlGraph } from '../families/joint-attention/sd3-control-graph.ts';
import { qwenImageControlGraph } from '../families/qwen-image/qwen-image-control-graph.ts';
import { qwenImageLayout } from '../families/qwen-image/qwen-image-layout.ts';
import type { NetworkLayout } from '../networks/onnx-network.ts';
import { fluxLayout, sd3Layout } from '../networks/transformer-layouts.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';

/** How the control net of a transformer takes its inputs, and how its residuals count. */
export interface TransformerControl {
  /** The inputs that it shares with the transformer. */
  readonly layout: NetworkLayout;
  /** Default: an encoded image. */
  readonly hint?: 'image';
  /** Its latent hints are tokens of 2 x 2 cells. */
  readonly isPacked?: true;
  /** Its latent hints are scaled, but not shifted. */
  readonly isUnshifted?: true;
  /** Changes the values of images, 0 to 1, before they are encoded. */
  adjust?(value: number): number;
  /** Each residual serves blocks at equal distances, and not blocks in a row. */
  readonly repeats?: true;
  /** Earlier residuals count with higher powers of the strength. */
  readonly hasPowers?: true;
}

interface KnownNet {
  /** Tensors that only files of this kind have together. */
  readonly keys: readonly string[];
  readonly control: TransformerControl;
  rename?(table: WeightTable): WeightTable;
  build(weights: ReadonlyMap<string, StoredTensor>): Uint8Array<ArrayBuffer>;
}

const ANY = 'controlnet_blocks.0.weight';

/** A file is of the first kind whose tensors it has. */
const NETS: readonly KnownNet[] = [
  {
    keys: ['after_proj_list.0.bias', 'before_proj.weight'],
    control: { layout: hunyuanDitLayout, hasPowers: true },
    build: hunyuanDitControlGraph,
  },
  {
    keys: [ANY, 'double_blocks.0.img_attn.norm.key_norm.scale'],
    control: { layout: fluxLayout, hint: 'image', repeats: true },
    rename: xlabsNames,
    build: fluxControlGraph,
  },
  {
    keys: [ANY, 'pos_embed_input.proj.weight', 'context_embedder.weight'],
    control: { layout: sd3Layout, isUnshifted: true },
    build: sd3ControlGraph,
  },
  {
    keys: [ANY, 'transformer_blocks.0.img_mlp.net.0.proj.weight'],
    control: { layout: qwenImageLayout, isPacked: true },
    build: qwenImageControlGraph,
  },
  {
    keys: [ANY, 'controlnet_x_embedder.weight', 'input_hint_block.conv_in.weight'],
    control: { layout: fluxLayout, hint: 'image', repeats: true },
    build: fluxControlGraph,
  },
  {
    keys: [ANY, 'controlnet_x_embedder.weight', 'context_embedder.weight'],
    control: { layout: fluxLayout, isPacked: true },
    build: fluxControlGraph,
  },
];

export interface TransformerControlWeights {
  readonly control: TransformerControl;
  readonly weights: WeightTable;
  build(): Uint8Array<ArrayBuffer>;
}

/** Undefined for a file without a known control net of a transformer. */
export function transformerControlWeights(table: WeightTable): TransformerControlWeights | undefined {
  const net = NETS.find(({ keys }) => keys.every((key) => table.has(key)));
  if (!net) return undefined;
  const weights = net.rename?.(table) ?? table;
  return { control: net.control, weights, build: () => net.build(weights) };
}

/** XLabs keeps the names of Flux' original files. Every second layer over the image is an activation. */
function xlabsNames(table: WeightTable): WeightTable {
  const hints = [...table.keys()].flatMap(
    (name) => /^input_hint_block\.(\d+)\.weight$/.exec(name)?.[1] ?? [],
  );
  const last = Math.max(...hints.map(Number));
  const found = new Map(originalTransformer('flux', table));
  for (const [name, tensor] of table) {
    const [, layer, rest] = /^input_hint_block\.(\d+)(\..+)$/.exec(name) ?? [];
    const index = Number(layer);
    const inner = index === last ? 'conv_out' : `blocks.${index / 2 - 1}`;
    if (rest !== undefined) found.set(`input_hint_block.${index === 0 ? 'conv_in' : inner}${rest}`, tensor);
    else if (name.startsWith('controlnet_blocks.')) found.set(name, tensor);
    else if (name.startsWith('pos_embed_input.'))
      found.set(name.replace('pos_embed_input', 'controlnet_x_embedder'), tensor);
  }
  return found;
}
