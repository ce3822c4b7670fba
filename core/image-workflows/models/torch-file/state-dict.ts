import { ModelCorrupt } from '#core/host';
import { TorchTensor } from './torch-tensor.ts';

/**
 * The keys under which trainers save a network's tensors, the preferred first. Averaged weights (EMA) come before
 * those of the last step. `string_to_param` is the key of textual inversions, `id_encoder` that of PhotoMaker.
 */
const WRAPPERS = [
  'state_dict',
  'params_ema',
  'params-ema',
  'params',
  'model',
  'net',
  'string_to_param',
  'id_encoder',
];

/** Tables around a table. More than these have not been seen. */
const MAX_DEPTH = 3;

/**
 * The tensors of a saved value by name, in the order of the file. Other values, such as a trainer's state, are left out.
 * @throws ModelCorrupt when there are none
 */
export function stateDict(value: unknown): [name: string, tensor: TorchTensor][] {
  let table = value;
  for (let depth = 0; depth < MAX_DEPTH; depth++) table = wrappedTable(table) ?? table;
  const tensors = table instanceof Map ? [...table].filter(isNamedTensor) : [];
  if (tensors.length === 0) throw new ModelCorrupt('it holds no table of tensors by name');
  return tensors;
}

/** The table under a known key, or the only value when that is a table. */
function wrappedTable(table: unknown): Map<unknown, unknown> | undefined {
  if (!(table instanceof Map)) return undefined;
  const candidates: unknown[] = WRAPPERS.map((key) => table.get(key));
  if (table.size === 1) candidates.push([...table.values()][0]);
  return candidates.find((candidate) => candidate instanceof Map);
}

const isNamedTensor = (entry: [unknown, unknown]): entry is [string, TorchTensor] =>
  typeof entry[0] === 'string' && entry[1] instanceof TorchTensor;
