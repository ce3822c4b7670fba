/** Networks of the family of Flux.1: the marks of each, and how it is used. */
import type { StoredTensor } from '#core/tensors';
import type { Combination } from '../../encoders/combine-encodings.ts';
import type { OriginalLayout } from '../../graphs/original-transformer-names.ts';
import type { FluxPlaces } from '../../networks/transformer-layouts.ts';
import { hasPrefix, rowsOf, type WeightTable } from '../../weight-files/weight-table.ts';

interface FluxVariant {
  /** A prefix of its tensors in diffusers. */
  readonly has?: string;
  /** A prefix of tensors that it lacks. */
  readonly lacks?: string;
  /** How far its noise levels are shifted. `mu`: in Flux's form, as e^mu. */
  readonly shift: { readonly mu: number } | { readonly factor: number };
  /** Names in `text-encoders.json` and `language-encoders.json`. */
  readonly encoders: readonly string[];
  readonly combination: Combination;
  readonly places: FluxPlaces;
}

const CLIP_AND_T5 = { encoders: ['flux-l', 'flux-t5xxl'], combination: 'flux', places: {} } as const;

/** A network is the first whose marks are right. */
const VARIANTS: readonly FluxVariant[] = [
  // Chroma
  {
    has: 'distilled_guidance_layer.',
    shift: { mu: 1.15 },
    encoders: ['pixart-t5xxl'],
    combination: 'flux',
    places: {},
  },
  // Ovis-Image
  {
    has: 'context_embedder_norm.',
    shift: { factor: 1 },
    encoders: ['ovis-qwen3-2b'],
    combination: 'concat',
    places: { countsText: true },
  },
  // LongCat-Image
  {
    lacks: 'time_text_embed.text_embedder.',
    shift: { mu: 1.15 },
    encoders: ['longcat-image-qwen2.5'],
    combination: 'concat',
    places: { countsText: true, isAfterText: true },
  },
  // Flux.1 dev and its kind
  { has: 'time_text_embed.guidance_embedder.', shift: { mu: 1.15 }, ...CLIP_AND_T5 },
  // Flux.1 schnell
  { shift: { factor: 1 }, ...CLIP_AND_T5 },
];

/** @param weights by their names in diffusers */
export const fluxVariant = (weights: WeightTable): FluxVariant =>
  VARIANTS.find(
    ({ has, lacks }) =>
      (has === undefined || hasPrefix(weights, has)) && (lacks === undefined || !hasPrefix(weights, lacks)),
  )!;

/** The layout of a network in its original names. */
export const fluxOriginal = (table: WeightTable): OriginalLayout =>
  table.has('double_blocks.0.img_mlp.gate_proj.weight') ? 'ovis' : 'flux';

/** The two layers in `ff.net.0.proj`, in the order of its rows (SwiGLU of diffusers). */
const HALVES = ['up_proj', 'gate_proj'];

/**
 * The weights of diffusers under the names that all variants share. The embedding of the timestep is where Flux has it.
 * The gated layers of Ovis-Image are apart, as in its original.
 */
export function sharedFluxNames(table: WeightTable): WeightTable {
  const isGated = table.has('context_embedder_norm.weight');
  const found = new Map<string, StoredTensor>();
  for (const [name, tensor] of table) {
    const half = isGated ? /^(.*\.ff(?:_context)?)\.net\.0\.proj\.(\w+)$/.exec(name) : null;
    if (half) {
      const [rows = 1] = tensor.shape;
      const each = rows / HALVES.length;
      // A single number, such as the scale of 8-bit floats, holds for both.
      for (const [at, part] of HALVES.entries())
        found.set(
          `${half[1]}.${part}.${half[2]}`,
          rows === 1 ? tensor : rowsOf(tensor, at * each, (at + 1) * each),
        );
      continue;
    }
    const plain = name.replace(/^(?:time_embed\.)?timestep_embedder\./, 'time_text_embed.timestep_embedder.');
    found.set(isGated ? plain.replace(/\.(ff(?:_context)?)\.net\.2\./, '.$1.down_proj.') : plain, tensor);
  }
  return found;
}
