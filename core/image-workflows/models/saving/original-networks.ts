/** Weights of networks in the layout of diffusers, under the names of their original layout. */
import type { StoredTensor } from '#core/tensors';
import { sharedFluxNames } from '../families/joint-attention/flux-variants.ts';
import { isDiffusersPixart, originalPixart } from '../families/pixart/pixart-names.ts';
import { isDiffusersUnet, originalUnet } from '../families/unet/original-unet-names.ts';
import { type OriginalLayout, originalModules } from '../graphs/original-transformer-names.ts';
import { hasPrefix, rowsOf, type WeightTable } from '../weight-files/weight-table.ts';
import { allTensors, joinedTensors, type SavedTensor, sameTensor } from './saved-tensors.ts';

/** A tensor that a network has in the layout of diffusers only. The first one that is there decides. */
const TRANSFORMERS: Readonly<Record<OriginalLayout, string>> = {
  auraflow: 'joint_transformer_blocks.0.attn.add_k_proj.weight',
  ovis: 'context_embedder_norm.weight',
  flux: 'single_transformer_blocks.0.attn.to_q.weight',
  flux2: 'double_stream_modulation_img.linear.weight',
  sd3: 'pos_embed.proj.weight',
};

const FLUX: readonly OriginalLayout[] = ['flux', 'ovis'];

/**
 * The tensors of a network under their original names with `prefix` before them. A network in its original layout stays
 * as it is.
 * @param table by the names in the file, without their prefix
 */
export function originalNetwork(table: WeightTable, prefix: string): SavedTensor[] {
  const named = (tensors: SavedTensor[]) => tensors.map((each) => ({ ...each, name: prefix + each.name }));
  if (isDiffusersPixart(table)) return named(pixart(originalPixart(table)));
  if (isDiffusersUnet(table)) return allTensors(originalUnet(table), prefix);
  for (const [layout, mark] of Object.entries(TRANSFORMERS) as [OriginalLayout, string][])
    if (table.has(mark))
      return named(transformer(layout, FLUX.includes(layout) ? sharedFluxNames(table) : table));
  return allTensors(table, prefix);
}

function transformer(layout: OriginalLayout, table: WeightTable): SavedTensor[] {
  const found: SavedTensor[] = [];
  for (const [original, parts] of originalModules(layout))
    for (let number = 0; ; number++) {
      const at = (name: string) => name.replace('*', String(number));
      const modules = parts.map((part) => at(part.replace(/^\d+ /, '')));
      const own = table.get(modules[0]!);
      if (own) found.push(sameTensor(at(original), own));
      const before = found.length;
      for (const parameter of ['weight', 'bias']) {
        const pieces = modules.flatMap((module) => table.get(`${module}.${parameter}`) ?? []);
        if (pieces.length < modules.length) continue;
        const isNorm = [...FLUX, 'flux2'].includes(layout) && /_norm$|\.norms\.\*$/.test(original);
        const isScale = isNorm && parameter === 'weight';
        found.push(
          joinedTensors(
            `${at(original)}.${isScale ? 'scale' : parameter}`,
            ordered(table, modules[0]!, pieces),
          ),
        );
      }
      if (found.length === before || at(original) === original) break;
    }
  return found;
}

/** The last norms have scale and shift in diffusers, but shift and scale in the original. */
function ordered(
  table: WeightTable,
  module: string,
  pieces: readonly StoredTensor[],
): readonly StoredTensor[] {
  const isLast = module === 'norm_out.linear' || isLastContext(table, module);
  const [tensor] = pieces;
  if (!isLast || !tensor) return pieces;
  const rows = tensor.shape[0]!;
  return [rowsOf(tensor, rows / 2, rows), rowsOf(tensor, 0, rows / 2)];
}

/** The text of the last block of Stable Diffusion 3 has no feed-forward network. */
function isLastContext(table: WeightTable, module: string): boolean {
  const [, block] = /^(transformer_blocks\.\d+)\.norm1_context\.linear$/.exec(module) ?? [];
  return block !== undefined && !hasPrefix(table, `${block}.ff_context.`);
}

/** PixArt's original joins the projections of an attention. */
function pixart(table: WeightTable): SavedTensor[] {
  return [...table].flatMap(([name, tensor]) => {
    const join = (from: RegExp, to: string, parts: readonly string[]) =>
      joinedTensors(
        name.replace(from, to),
        parts.map((part) => table.get(name.replace(from, part))!),
      );
    if (/\.attn\.q\./.test(name))
      return [join(/\.attn\.q\./, '.attn.qkv.', ['.attn.q.', '.attn.k.', '.attn.v.'])];
    if (/\.cross_attn\.k\./.test(name))
      return [join(/\.cross_attn\.k\./, '.cross_attn.kv_linear.', ['.cross_attn.k.', '.cross_attn.v.'])];
    return /\.attn\.[kv]\.|\.cross_attn\.v\./.test(name) ? [] : [sameTensor(name, tensor)];
  });
}
