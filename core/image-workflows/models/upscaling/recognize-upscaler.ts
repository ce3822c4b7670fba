import { ModelUnsupported } from '#core/host';
import type { WeightFile } from '../weight-files/read-weight-file.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';
import { compact } from './networks/compact.ts';
import { dat } from './networks/dat.ts';
import { ditn } from './networks/ditn.ts';
import { drct } from './networks/drct.ts';
import { hat } from './networks/hat.ts';
import { mosr } from './networks/mosr.ts';
import { omniSr } from './networks/omni-sr.ts';
import { plksr } from './networks/plksr.ts';
import { realCugan } from './networks/real-cugan.ts';
import { esrgan } from './networks/rrdb.ts';
import { safmn } from './networks/safmn.ts';
import { span } from './networks/span.ts';
import { swinIr } from './networks/swin-ir.ts';
import { swin2sr } from './networks/swin2sr.ts';
import type { UpscalerKind, UpscalerNetwork } from './networks/upscaler-network.ts';
import signatures from './upscaler-signatures.json' with { type: 'json' };

const KINDS: readonly UpscalerKind[] = [
  esrgan,
  compact,
  swinIr,
  swin2sr,
  hat,
  dat,
  drct,
  omniSr,
  realCugan,
  span,
  plksr,
  safmn,
  mosr,
  ditn,
];

/** Parts of a trainer's file that hold the network. The averaged weights come first. */
const PARTS = ['params_ema.', 'params-ema.', 'params.', 'model_state_dict.', 'state_dict.'];
/** Names of wrappers around the whole network. */
const WRAPPERS = ['module.', 'netG.', 'generator.', 'net.', 'model.'];
/** Numbered layers of ESRGAN, whose names begin like those of a wrapper. */
const LAYERS = /^model\.\d+\./;

/**
 * Recognizes an upscaler by the names and shapes of its weights, and builds its graph.
 * @throws ModelUnsupported that names the file, and what is missing or which kinds are known
 */
export function recognizeUpscaler({ name, table }: WeightFile): UpscalerNetwork {
  const weights = networkWeights(table);
  for (const kind of KINDS) {
    const network = builtNetwork(kind, weights, name);
    if (network) return network;
  }
  throw new ModelUnsupported(`${name} ${refusal(weights)}. ${OTHERWISE}`);
}

const OTHERWISE =
  'Export another network with torch.onnx.export, with free height and width, to an .onnx file';

function refusal(weights: WeightTable): string {
  const foreign = signatures.foreign.find(({ keys }) => keys.every((key) => weights.has(key)));
  if (foreign) return `is ${foreign.name}, which cannot be used here: ${foreign.reason}`;
  const kindNames = KINDS.map((kind) => kind.name).join(', ');
  const nearest = nearestKind(weights);
  const hint = nearest ? `. The nearest kind is ${nearest.name}: it lacks ${nearest.missing.join(', ')}` : '';
  return `holds no upscale network that is known here: ${contents(weights)}${hint}. Known are ${kindNames}`;
}

function contents(table: WeightTable): string {
  const keys = [...table.keys()];
  return keys.length === 0
    ? 'it has no tensors'
    : `its ${keys.length} tensors begin with ${keys.slice(0, 3).join(', ')}`;
}

/** The kind with the largest share of its typical tensors among the weights. */
function nearestKind(weights: WeightTable): { name: string; missing: string[] } | undefined {
  const kinds = [...signatures.kinds, ...signatures.foreign].map(({ name, keys }) => {
    const missing = keys.filter((key) => !weights.has(key));
    return { name, missing, share: 1 - missing.length / keys.length };
  });
  const [first] = kinds.filter(({ share }) => share > 0).sort((a, b) => b.share - a.share);
  return first;
}

function builtNetwork(kind: UpscalerKind, weights: WeightTable, file: string): UpscalerNetwork | undefined {
  try {
    return kind.read(weights);
  } catch (error) {
    if (!(error instanceof ModelUnsupported)) throw error;
    throw new ModelUnsupported(`${file} looks like ${kind.name}, but ${error.message}`, { cause: error });
  }
}

function networkWeights(table: WeightTable): WeightTable {
  const names = [...table.keys()];
  const part = PARTS.find((prefix) => names.some((name) => name.startsWith(prefix)));
  if (part !== undefined) return networkWeights(withoutPrefix(table, part));
  const wrapper = WRAPPERS.find((prefix) =>
    names.every((name) => name.startsWith(prefix) && !LAYERS.test(name)),
  );
  return wrapper === undefined || names.length === 0 ? table : networkWeights(withoutPrefix(table, wrapper));
}
