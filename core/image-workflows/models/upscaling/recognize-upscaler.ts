import { ModelUnsupported } from '#core/host';
import type { WeightFile } from '../weight-files/read-weight-file.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';
import { compact } from './networks/compact.ts';
import { plksr } from './networks/plksr.ts';
import { esrgan } from './networks/rrdb.ts';
import { span } from './networks/span.ts';
import { swinIr } from './networks/swin-ir.ts';
import type { UpscalerKind, UpscalerNetwork } from './networks/upscaler-network.ts';

const KINDS: readonly UpscalerKind[] = [esrgan, compact, swinIr, span, plksr];

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
  const kindNames = KINDS.map((kind) => kind.name).join(', ');
  throw new ModelUnsupported(
    `${name} holds no upscale network that is known here: ${contents(table)}. Known are ${kindNames}. Export another network with torch.onnx.export, with free height and width, to an .onnx file`,
  );
}

function contents(table: WeightTable): string {
  const keys = [...table.keys()];
  return keys.length === 0
    ? 'it has no tensors'
    : `its ${keys.length} tensors begin with ${keys.slice(0, 3).join(', ')}`;
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
