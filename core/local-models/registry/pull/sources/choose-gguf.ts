import { quantLabel } from '../../names/quantization-label.ts';
import { SourceRefused } from './offer.ts';
import quantOrder from './quantization-order.json' with { type: 'json' };

export interface RepositoryFile {
  path: string;
  size?: number;
  digest?: `sha256:${string}`;
}

const shard = /-(\d{5})-of-(\d{5})\.gguf$/i;

/**
 * The weights to take from a repository: the file of the quantisation (or the name) that `tag` says; without one
 * Q4_K_M, else the nearest to it that is there. undefined: no such file.
 */
export function chooseWeights(files: RepositoryFile[], tag: string | undefined): RepositoryFile | undefined {
  const models = files.filter(({ path }) => /\.gguf$/i.test(path) && !isProjector(path));
  const named = tag === undefined ? models : models.filter((file) => matches(file.path, tag));
  const whole = named.filter(({ path }) => !shard.test(path));
  if (whole.length === 0 && named.length > 0) {
    const parts = Number(shard.exec(named[0]!.path)?.[2]);
    throw new SourceRefused(
      `${named[0]!.path} is split into ${parts} files, which is not supported; choose another quantisation`,
    );
  }
  return whole.sort((a, b) => rank(a) - rank(b) || a.path.length - b.path.length)[0];
}

/** The vision part beside the weights: F16 before others. */
export function chooseProjector(files: RepositoryFile[]): RepositoryFile | undefined {
  const found = files.filter(({ path }) => /\.gguf$/i.test(path) && isProjector(path));
  const order = ['F16', 'FP16', 'BF16', 'Q8_0'];
  const rankOf = ({ path }: RepositoryFile) => {
    const at = order.indexOf(quantLabel(path)?.toUpperCase() ?? '');
    return at < 0 ? order.length : at;
  };
  return found.sort((a, b) => rankOf(a) - rankOf(b))[0];
}

function matches(path: string, tag: string): boolean {
  const file = path.split('/').at(-1)!.toLowerCase();
  const wanted = tag.toLowerCase();
  return (
    file === wanted ||
    file === `${wanted}.gguf` ||
    quantLabel(file.replace(shard, '.gguf'))?.toLowerCase() === wanted
  );
}

function rank({ path }: RepositoryFile): number {
  const at = quantOrder.indexOf(quantLabel(path)?.toUpperCase() ?? '');
  return at < 0 ? quantOrder.length : at;
}

const isProjector = (path: string) => /(^|[/._-])mmproj([/._-]|$)/i.test(path);
