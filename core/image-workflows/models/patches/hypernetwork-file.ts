/** Files of small networks that change what attention takes ("hypernetworks"), in `models/hypernetworks`. */
import { FileMissing, type Host, ModelCorrupt } from '#core/host';
import { readTorchFile, TorchTensor } from '../torch-file/read-torch-file.ts';

export const HYPERNETWORKS = 'models/hypernetworks';

/** Names of PyTorch's modules in lower case, as trainers write them. */
export const ACTIVATIONS = [
  'linear',
  'relu',
  'leakyrelu',
  'elu',
  'swish',
  'tanh',
  'sigmoid',
  'softsign',
  'mish',
] as const;
export type Activation = (typeof ACTIVATIONS)[number];

/** One layer: its sum, the activation, and a norm, those that there are. */
export interface HypernetworkLayer {
  /** [outputs, inputs] */
  weight: TorchTensor;
  bias: TorchTensor;
  activation: Activation;
  norm?: { weight: TorchTensor; bias: TorchTensor };
}

export interface Hypernetwork {
  /** Another one for another file. */
  key: string;
  /** For the keys and for the values of attentions that take so many numbers a token. */
  widths: ReadonlyMap<
    number,
    readonly [key: readonly HypernetworkLayer[], value: readonly HypernetworkLayer[]]
  >;
}

/** Bytes: such files have tens to hundreds of millions. */
const LARGEST = 2 ** 30;

/** Throws for a file that is not there, or is none of these. */
export async function readHypernetwork(host: Host, name: string): Promise<Hypernetwork> {
  const path = `${HYPERNETWORKS}/${name}`;
  const info = await host.files.stat(path);
  if (info?.kind !== 'file') throw new FileMissing(path);
  if (/\.(safetensors|sft)$/i.test(name))
    throw new ModelCorrupt(
      `${name} cannot be used: hypernetworks have no form in safetensors. Put the .pt file that its trainer saved into ${HYPERNETWORKS}`,
    );
  if (info.size > LARGEST) throw new ModelCorrupt(`${name} is larger than hypernetworks are`);
  try {
    const table = readTorchFile(await host.files.read(path));
    return { key: `${name} ${info.size} ${info.modifiedAt}`, widths: widthsOf(table) };
  } catch (error) {
    if (!(error instanceof ModelCorrupt)) throw error;
    throw new ModelCorrupt(`the hypernetwork ${name} cannot be used: ${error.message}`, { cause: error });
  }
}

function widthsOf(table: unknown): Hypernetwork['widths'] {
  if (!(table instanceof Map)) throw new ModelCorrupt('it holds no table of layers');
  // Trainers that were told of none write that there is none.
  const activation = (table.get('activation_func') ?? 'linear') as Activation;
  if (!ACTIVATIONS.includes(activation))
    throw new ModelCorrupt(`its activation is "${activation}"; these are known: ${ACTIVATIONS.join(', ')}`);
  const kind = {
    activation,
    hasNorms: table.get('is_layer_norm') === true,
    isLastActive: table.get('activate_output') === true,
  };
  const widths = new Map<number, [HypernetworkLayer[], HypernetworkLayer[]]>();
  for (const [width, pair] of table) {
    if (typeof width !== 'number') continue;
    const [key, value] = Array.isArray(pair) ? pair : [];
    widths.set(width, [layersOf(key, width, kind), layersOf(value, width, kind)]);
  }
  if (widths.size === 0) throw new ModelCorrupt('it holds no layers for any width');
  return widths;
}

/** In the order of the table: a sum, or a sum and a norm, of each layer. */
function layersOf(
  table: unknown,
  width: number,
  kind: { activation: Activation; hasNorms: boolean; isLastActive: boolean },
): HypernetworkLayer[] {
  if (!(table instanceof Map)) throw new ModelCorrupt(`its layers of width ${width} are not described`);
  const parts = [...table.keys()]
    .filter((name) => typeof name === 'string' && name.endsWith('.weight'))
    .map((name: string) => {
      const [weight, bias] = [table.get(name), table.get(name.replace(/weight$/, 'bias'))];
      if (!(weight instanceof TorchTensor) || !(bias instanceof TorchTensor))
        throw new ModelCorrupt(`its part ${name} has no weight or no bias`);
      return { weight, bias };
    });
  const layers: HypernetworkLayer[] = [];
  let inputs = width;
  for (let at = 0; at < parts.length; at++) {
    const sum = parts[at]!;
    const isLast = at === parts.length - 1;
    const norm = kind.hasNorms ? parts[++at] : undefined;
    const [outputs = 0, taken] = sum.weight.shape;
    const vectors = [sum.bias, ...(norm ? [norm.weight, norm.bias] : [])];
    if (taken !== inputs || vectors.some(({ shape }) => shape.length !== 1 || shape[0] !== outputs))
      throw new ModelCorrupt(`its layers of width ${width} do not fit one another`);
    const activation = isLast && !kind.isLastActive ? 'linear' : kind.activation;
    layers.push({ ...sum, activation, ...(norm && { norm }) });
    inputs = outputs;
  }
  if (layers.length === 0 || inputs !== width)
    throw new ModelCorrupt(`its layers of width ${width} do not give as much as they take`);
  return layers;
}
