/** Names of the weights of an RRDB network: those of ESRGAN and of BSRGAN become those of Real-ESRGAN. */
import { renamed, type WeightTable } from '../../weight-files/weight-table.ts';

const ESRGAN_BLOCK = /^model\.1\.sub\.(\d+)\.RDB(\d)\.conv(1x1|\d)(?:\.0)?\.(weight|bias)$/;
const ESRGAN_BODY = /^model\.1\.sub\.\d+\.(weight|bias)$/;
const ESRGAN_LAYER = /^model\.(\d+)\.(weight|bias)$/;
const BSRGAN_BLOCK = /^RRDB_trunk\.(\d+)\.RDB(\d)\./;

const BSRGAN_LAYERS: Readonly<Record<string, string>> = {
  trunk_conv: 'conv_body',
  upconv1: 'conv_up1',
  upconv2: 'conv_up2',
  upconv3: 'conv_up3',
  HRconv: 'conv_hr',
};

/** The weights by the names of Real-ESRGAN. Undefined for another kind of network. */
export function rrdbWeights(table: WeightTable): WeightTable | undefined {
  if (has(table, /^body\.0\.rdb1\.conv1\./)) return table;
  if (has(table, BSRGAN_BLOCK)) return renamed(table, bsrganName);
  if (!has(table, ESRGAN_BLOCK)) return undefined;
  const layers = esrganLayers(table);
  return renamed(table, (name) => esrganName(name, layers));
}

const has = (table: WeightTable, pattern: RegExp): boolean => {
  for (const name of table.keys()) if (pattern.test(name)) return true;
  return false;
};

function bsrganName(name: string): string {
  const [layer = '', ...rest] = name.split('.');
  const layerName = BSRGAN_LAYERS[layer];
  if (layerName !== undefined) return [layerName, ...rest].join('.');
  return name.replace(BSRGAN_BLOCK, 'body.$1.rdb$2.');
}

/** A layer's name by its number: the last two layers follow those that enlarge. */
function esrganLayers(table: WeightTable): ReadonlyMap<string, string> {
  const numbers = new Set<number>();
  for (const name of table.keys()) {
    const number = ESRGAN_LAYER.exec(name)?.[1];
    if (number !== undefined && number !== '0') numbers.add(Number(number));
  }
  const sorted = [...numbers].sort((a, b) => a - b);
  const enlarging = Math.max(0, sorted.length - 2);
  const names = sorted.map((_, at) => {
    if (at < enlarging) return `conv_up${at + 1}`;
    return at === enlarging ? 'conv_hr' : 'conv_last';
  });
  return new Map([['0', 'conv_first'], ...sorted.map((number, at) => [String(number), names[at]!] as const)]);
}

function esrganName(name: string, layers: ReadonlyMap<string, string>): string {
  const block = ESRGAN_BLOCK.exec(name);
  if (block) return `body.${block[1]}.rdb${block[2]}.conv${block[3]}.${block[4]}`;
  const body = ESRGAN_BODY.exec(name);
  if (body) return `conv_body.${body[1]}`;
  const layer = ESRGAN_LAYER.exec(name);
  return layer ? `${layers.get(layer[1]!)}.${layer[2]}` : name;
}
