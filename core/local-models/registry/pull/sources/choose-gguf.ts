import { quantizationLabel } from '../../names/quantization-label.ts';
import { SourceRefused } from './offer.ts';
import quantizationOrder from './quantization-order.json' with { type: 'json' };
import type { RepositoryFile } from './repository-file.ts';

const SHARD = /-(\d{5})-of-(\d{5})\.gguf$/i;
/** The best quantizations of projectors. */
const PROJECTOR_ORDER = ['F16', 'FP16', 'BF16', 'Q8_0'];

/**
 * The weights of a repository.
 * @param tag a quantization or a file name. Default: Q4_K_M, or the quantization nearest to it
 * @returns undefined when there is no such file
 * @throws SourceRefused when the weights are split into several files
 */
export function chooseWeights(files: RepositoryFile[], tag: string | undefined): RepositoryFile | undefined {
  const models = files.filter(({ path }) => /\.gguf$/i.test(path) && !isProjector(path));
  const matching = tag === undefined ? models : models.filter((file) => matchesTag(file.path, tag));
  const unsplit = matching.filter(({ path }) => !SHARD.test(path));
  if (unsplit.length === 0 && matching.length > 0) {
    const parts = Number(SHARD.exec(matching[0]!.path)?.[2]);
    throw new SourceRefused(
      `${matching[0]!.path} is split into ${parts} files, which is not supported; choose another quantization`,
    );
  }
  const rank = rankBy(quantizationOrder);
  return unsplit.sort((a, b) => rank(a) - rank(b) || a.path.length - b.path.length)[0];
}

/** The projector of a vision model. Undefined: the repository has none. */
export function chooseProjector(files: RepositoryFile[]): RepositoryFile | undefined {
  const projectors = files.filter(({ path }) => /\.gguf$/i.test(path) && isProjector(path));
  const rank = rankBy(PROJECTOR_ORDER);
  return projectors.sort((a, b) => rank(a) - rank(b))[0];
}

function matchesTag(path: string, tag: string): boolean {
  const file = path.split('/').at(-1)!.toLowerCase();
  const lowerTag = tag.toLowerCase();
  return (
    file === lowerTag ||
    file === `${lowerTag}.gguf` ||
    quantizationLabel(file.replace(SHARD, '.gguf'))?.toLowerCase() === lowerTag
  );
}

/** Ranks files by the place of their quantization in the list; all others come last. */
function rankBy(order: readonly string[]): (file: RepositoryFile) => number {
  return ({ path }) => {
    const at = order.indexOf(quantizationLabel(path)?.toUpperCase() ?? '');
    return at < 0 ? order.length : at;
  };
}

const isProjector = (path: string) => /(^|[/._-])mmproj([/._-]|$)/i.test(path);
