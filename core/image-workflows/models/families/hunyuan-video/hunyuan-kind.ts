/** The kinds of Hunyuan's networks for videos and images. They are in `hunyuan-kinds.json`. */
import type { LatentFormat } from '../../../values/latent.ts';
import type { Combination } from '../../encoders/combine-encodings.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import kinds from './hunyuan-kinds.json' with { type: 'json' };

/**
 * The further channels of the input. `first frames`: latents of those, and a mask of them if there is a channel.
 * `given`: any frames, and a mask. `refined`: the latent to refine. `enlarged`: the first frame and a mask of it, and the
 * latent to refine with a mask.
 */
export type HunyuanImages = 'first frames' | 'given' | 'refined' | 'enlarged';

export interface HunyuanKind {
  /** For messages. */
  readonly name: string;
  readonly latent: LatentFormat;
  /** The shift of its noise levels. */
  readonly shift: number;
  /** Undefined: there are none. */
  readonly images?: HunyuanImages;
  /** The network was trained to know the next noise level, and works without it. */
  readonly ignoresNextLevel?: true;
  readonly encoders: readonly string[];
  readonly combination: Combination;
}

interface Recognition {
  /** Tensors that it has, and that it lacks. */
  has?: string;
  lacks?: string;
  /** The number of sides of a token, or their sizes, and the channels of the input. */
  sides?: number;
  patch?: readonly number[];
  inputs?: number;
}

const KINDS = kinds as unknown as readonly (HunyuanKind & Recognition)[];

/** The first kind that fits. The last one fits all. */
export function hunyuanKind(table: WeightTable): HunyuanKind {
  const [, channels, ...cell] = table.get('img_in.proj.weight')?.shape ?? [];
  return KINDS.find(
    ({ has, lacks, sides, patch, inputs }) =>
      (has === undefined || table.has(has)) &&
      (lacks === undefined || !table.has(lacks)) &&
      (sides === undefined || cell.length === sides) &&
      (patch === undefined || patch.join() === cell.join()) &&
      (inputs === undefined || channels === inputs),
  )!;
}
