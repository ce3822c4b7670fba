import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { Combination } from '../encoders/combine-encodings.ts';
import type { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import type { WeightTable } from '../weight-files/weight-table.ts';

/** A network within a file of weights. */
export interface NetworkSource {
  readonly graphs: WeightFileGraphs;
  /** The tensors of the network, by their names without the prefix that they have in checkpoints. */
  readonly table: WeightTable;
}

/** The network of a file, with the text encoders that its checkpoints contain. */
export interface OpenedNetwork {
  readonly model: DiffusionModel;
  /** Names in `text-encoders.json`. */
  readonly encoders: readonly string[];
  readonly combination: Combination;
}

/** A family of diffusion networks. */
export interface NetworkFamily {
  /** As people call it. */
  readonly name: string;
  /** Whether the tensors are those of the family. Families are asked in their order in `network-families.ts`. */
  isIn(table: WeightTable): boolean;
  /** Builds no graph yet. Rejects with `ModelUnsupported` for kinds of the family without a formula here. */
  open(source: NetworkSource): Promise<OpenedNetwork>;
}
