/** Reads hypernetworks: small networks that change the keys and values of attention, in `models/hypernetworks`. */
import { FileMissing, type Host, ModelCorrupt, ModelUnsupported } from '#core/host';
import { decodeFloats, isFloatType } from '../graphs/stored-floats.ts';
import { readTorchFile } from '../torch-file/read-torch-file.ts';
import { TorchTensor } from '../torch-file/torch-tensor.ts';

export const HYPERNETWORKS = 'models/hypernetworks';

/** The names that trainers write: PyTorch's modules in lower case. */
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

/** A tensor of a hypernetwork. Its numbers are decoded when they are used. */
export interface LayerTensor {
  readonly shape: readonly number[];
  numbers(): Float32Array;
}

/** A linear layer, its activation, and possibly a layer norm. */
export interface HypernetworkLayer {
  /** [outputs, inputs] */
  weight: LayerTensor;
  bias: LayerTensor;
  activation: Activation;
  norm?: { weight: LayerTensor; bias: LayerTensor };
}

export interface Hypernetwork {
  /** Identifies the file's content. */
  key: string;
  /** The layers for keys and for values, by the width of the tokens from which attention computes them. */
  widths: ReadonlyMap<
    number,
    readonly [key: readonly HypernetworkLayer[], value: readonly HypernetworkLayer[]]
  >;
}

/** In bytes. Hypernetworks have tens to hundreds of megabytes. */
const MAX_SIZE = 2 ** 30;

/** Rejects with `FileMissing`, or with `ModelCorrupt` for other files. */
export async function readHypernetwork(host: Host, name: string): Promise<Hypernetwork> {
  const path = `${HYPERNETWORKS}/${name}`;
  const info = await host.files.stat(path);
  if (info?.kind !== 'file') throw new FileMissing(path);
  if (/\.(safetensors|sft)$/i.test(name))
    throw new ModelCorrupt(
      `${name} cannot be used: hypernetworks have no form in safetensors. Put the .pt file that its trainer saved into ${HYPERNETWORKS}`,
    );
  if (info.size > MAX_SIZE) throw new ModelCorrupt(`${name} is larger than hypernetworks are`);
  try {
    const file = await host.files.read(path);
    const table = await readTorchFile(file.length, async (start, end) => file.subarray(start, end));
    return { key: `${name} ${info.size} ${info.modifiedAt}`, widths: readWidths(table, file) };
  } catch (error) {
    if (!(error instanceof ModelCorrupt || error instanceof ModelUnsupported)) throw error;
    throw new ModelCorrupt(`the hypernetwork ${name} cannot be used: ${error.message}`, { cause: error });
  }
}

/** Settings for all layers of a file. */
interface LayerSettings {
  /** The bytes of the file. */
  file: Uint8Array;
  activation: Activation;
  hasNorms: boolean;
  isLastActive: boolean;
}

function readWidths(table: unknown, file: Uint8Array): Hypernetwork['widths'] {
  if (!(table instanceof Map)) throw new ModelCorrupt('it holds no table of layers');
  // Trainers write null when no activation was chosen.
  const activation = (table.get('activation_func') ?? 'linear') as Activation;
  if (!ACTIVATIONS.includes(activation))
    throw new ModelCorrupt(
      `its activation is "${activation}"; these are supported: ${ACTIVATIONS.join(', ')}`,
    );
  const settings = {
    file,
    activation,
    hasNorms: table.get('is_layer_norm') === true,
    isLastActive: table.get('activate_output') === true,
  };
  const widths = new Map<number, [HypernetworkLayer[], HypernetworkLayer[]]>();
  for (const [width, pair] of table) {
    if (typeof width !== 'number') continue;
    const [key, value] = Array.isArray(pair) ? pair : [];
    widths.set(width, [readLayers(key, width, settings), readLayers(value, width, settings)]);
  }
  if (widths.size === 0) throw new ModelCorrupt('it holds no layers for any width');
  return widths;
}

/** The table lists the modules in order: for each layer a linear module, and a norm if the file has norms. */
function readLayers(table: unknown, width: number, settings: LayerSettings): HypernetworkLayer[] {
  if (!(table instanceof Map)) throw new ModelCorrupt(`its layers of width ${width} are not described`);
  const modules = [...table.keys()]
    .filter((name) => typeof name === 'string' && name.endsWith('.weight'))
    .map((name: string) => {
      const [weight, bias] = [table.get(name), table.get(name.replace(/weight$/, 'bias'))];
      if (!(weight instanceof TorchTensor) || !(bias instanceof TorchTensor))
        throw new ModelCorrupt(`its part ${name} has no weight or no bias`);
      return {
        weight: layerTensor(settings.file, name, weight),
        bias: layerTensor(settings.file, name.replace(/weight$/, 'bias'), bias),
      };
    });
  const layers: HypernetworkLayer[] = [];
  let currentWidth = width;
  for (let at = 0; at < modules.length; at++) {
    const linear = modules[at]!;
    const isLast = at === modules.length - 1;
    const norm = settings.hasNorms ? modules[++at] : undefined;
    const [outputs = 0, inputs] = linear.weight.shape;
    const vectors = [linear.bias, ...(norm ? [norm.weight, norm.bias] : [])];
    if (inputs !== currentWidth || vectors.some(({ shape }) => shape.length !== 1 || shape[0] !== outputs))
      throw new ModelCorrupt(`its layers of width ${width} do not fit one another`);
    const activation = isLast && !settings.isLastActive ? 'linear' : settings.activation;
    layers.push({ ...linear, activation, ...(norm && { norm }) });
    currentWidth = outputs;
  }
  if (layers.length === 0 || currentWidth !== width)
    throw new ModelCorrupt(`its layers of width ${width} have another width at their end`);
  return layers;
}

function layerTensor(file: Uint8Array, name: string, tensor: TorchTensor): LayerTensor {
  const { type, shape } = tensor;
  const { start, end } = tensor.range(name);
  if (!isFloatType(type))
    throw new ModelCorrupt(`its part ${name} has numbers of type ${type}, not floats of 16 or 32 bits`);
  return { shape, numbers: () => decodeFloats(file.subarray(start, end), type) };
}
