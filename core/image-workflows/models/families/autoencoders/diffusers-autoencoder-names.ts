/** Names of autoencoders in files of diffusers, whose older versions called the attention's projections otherwise. */
import { renamed, type WeightTable } from '../../weight-files/weight-table.ts';

const FORMER_NAMES: Readonly<Record<string, string>> = {
  query: 'to_q',
  key: 'to_k',
  value: 'to_v',
  proj_attn: 'to_out.0',
};

/** The weights by their current names. */
export const diffusersAutoencoder = (table: WeightTable): WeightTable =>
  renamed(table, (name) =>
    name.replace(
      /(?<=\.mid_block\.attentions\.0\.)(query|key|value|proj_attn)(?=\.)/,
      (former) => FORMER_NAMES[former]!,
    ),
  );
