/** Recognizes the family of a network by the names and shapes of its weights. The families are in `families.json`. */

import { ModelUnsupported } from '#core/host';
import type { StoredTensor } from '#core/tensors';
import type { JsonConfig } from '../../values/model-graph.ts';
import type { NetworkKind } from '../../values/network.ts';
import type { SchedulerConfig } from '../networks/scheduler-config.ts';
import { hasPrefix, type WeightTable } from '../weight-files/weight-table.ts';
import families from './families.json' with { type: 'json' };
import type { UnetLabels } from './unet/ldm-unet-names.ts';
import { hasFrames } from './video-unet/frame-blocks.ts';

/** Properties that distinguish UNets. */
export interface UnetTraits {
  /** Channels of the first level. */
  width: number;
  /** Channels of the input. */
  inputs: number;
  /** The width of a prompt's embeddings. 0: the network takes no prompt. */
  contextWidth: number;
  /** Whether its transformers project tokens, and not images. */
  hasLinearProjections: boolean;
  hasLabels: boolean;
  /** The width of the labels, for example SDXL's sizes with the pooled text. */
  labelWidth: number;
  /** Transformer blocks after each residual block on the way down, with commas between them. */
  depths: string;
  /** Whether it has layers over the frames of videos. */
  isVideo: boolean;
  /** Whether the prompt's embeddings pass a layer of their own before the network. */
  hasProjectedPrompt: boolean;
}

/** Traits that only few families have. Messages list them where they are not as usual. */
const USUAL: Partial<UnetTraits> = { isVideo: false, hasProjectedPrompt: false };

/** How the images of a prompt reach a network. */
export type UnetImages = 'video' | 'turntable' | 'orbit' | 'depth' | 'unclip';

export interface Family {
  readonly name: string;
  readonly when: Partial<UnetTraits>;
  readonly kind: NetworkKind;
  readonly heads?: number;
  readonly headWidth?: number;
  /** Names in `text-encoders.json`. */
  readonly encoders: readonly string[];
  /** Default: SDXL's sizes, or none. */
  readonly labels?: UnetLabels;
  readonly images?: UnetImages;
  /** Fields of a `scheduler_config.json`: how the network was trained. */
  readonly scheduler?: SchedulerConfig;
  /** Fields of the autoencoder's `config.json`. */
  readonly vae?: JsonConfig;
  /** The network predicts the velocity if the standard deviation of these weights is larger. Undefined: noise. */
  readonly velocityMark?: { readonly name: string; readonly spreadAbove: number };
  /** Tensors that hold no weights say how the network was trained. */
  readonly hasTrainingMarks?: boolean;
}

const FAMILIES = families as unknown as readonly Family[];

/**
 * Reads the traits of a UNet in the original layout. Undefined for another network.
 * @param all all tensors of its file
 */
export function unetTraits(table: WeightTable, all = table): UnetTraits | undefined {
  const input = table.get('input_blocks.0.0.weight');
  if (!input) return undefined;
  const labels = table.get('label_emb.0.0.weight');
  return {
    width: input.shape[0] ?? 0,
    inputs: input.shape[1] ?? 0,
    contextWidth: first(table, '.attn2.to_k.weight')?.shape[1] ?? 0,
    hasLinearProjections: first(table, '.1.proj_in.weight')?.shape.length === 2,
    hasLabels: labels !== undefined,
    labelWidth: labels?.shape[1] ?? 0,
    depths: depthsOf(table).join(),
    isVideo: hasFrames(table),
    hasProjectedPrompt: all.has('cc_projection.weight'),
  };
}

function depthsOf(table: WeightTable): number[] {
  const depths: number[] = [];
  for (let block = 1; hasPrefix(table, `input_blocks.${block}.`); block++) {
    const path = `input_blocks.${block}`;
    if (!table.has(`${path}.0.in_layers.0.weight`)) continue;
    let depth = 0;
    while (hasPrefix(table, `${path}.1.transformer_blocks.${depth}.`)) depth++;
    depths.push(depth);
  }
  return depths;
}

/**
 * The first family whose traits are all found.
 * @throws ModelUnsupported that says which traits were found, and which family is nearest
 */
export function recognizeFamily(traits: UnetTraits): Family {
  const differences = FAMILIES.map((family) => ({
    family,
    names: Object.entries({ ...USUAL, ...family.when }).flatMap(([name, value]) =>
      traits[name as keyof UnetTraits] === value ? [] : [`${name} ${value}`],
    ),
  }));
  const nearest = differences.reduce((best, other) =>
    other.names.length < best.names.length ? other : best,
  );
  if (nearest.names.length === 0) return nearest.family;
  const found = Object.entries(traits).flatMap(([name, value]) =>
    USUAL[name as keyof UnetTraits] === value ? [] : [`${name} ${value}`],
  );
  throw new ModelUnsupported(
    `a UNet with ${found.join(', ')} is of no known family: the nearest is ${nearest.family.name}, with ${nearest.names.join(', ')}`,
  );
}

function first(table: WeightTable, ending: string): StoredTensor | undefined {
  for (const [name, tensor] of table) if (name.endsWith(ending)) return tensor;
  return undefined;
}
