import { isPartName, partNames, withoutPartNumber } from '#core/base';
import { quantizationLabel } from '../../names/quantization-label.ts';
import { SourceRefused } from './offer.ts';
import quantizationOrder from './quantization-order.json' with { type: 'json' };
import type { RepositoryFile } from './repository-file.ts';

/** The best quantizations of projectors. */
const PROJECTOR_ORDER = ['F16', 'FP16', 'BF16', 'Q8_0'];

/**
 * The weights of a repository: one file, or all parts of a file that was split, in their order.
 * @param tag a quantization or a file name. Default: Q4_K_M, or the quantization nearest to it
 * @returns undefined when there is no such file
 * @throws SourceRefused when parts of the weights are missing
 */
export function chooseWeights(
  files: RepositoryFile[],
  tag: string | undefined,
): readonly RepositoryFile[] | undefined {
  const models = files.filter(({ path }) => /\.gguf$/i.test(path) && !isProjector(path));
  const matching = tag === undefined ? models : models.filter((file) => matchesTag(file.path, tag));
  const rank = rankBy(quantizationOrder);
  const isPart = ({ path }: RepositoryFile) => isPartName(path);
  const [best] = matching.toSorted(
    (a, b) => rank(a) - rank(b) || Number(isPart(a)) - Number(isPart(b)) || a.path.length - b.path.length,
  );
  return best && withAllParts(best, files);
}

/**
 * A file, or all parts of the split file that it belongs to, in their order.
 * @throws SourceRefused when parts are missing
 */
export function withAllParts(
  file: RepositoryFile,
  files: readonly RepositoryFile[],
): readonly RepositoryFile[] {
  if (!isPartName(file.path)) return [file];
  const paths = partNames(file.path);
  return paths.map((path) => {
    const part = files.find((each) => each.path.toLowerCase() === path.toLowerCase());
    if (!part)
      throw new SourceRefused(`${file.path} is one of ${paths.length} parts, and ${path} is missing`);
    return part;
  });
}

/** The projector of a vision model. Undefined: the repository has none. */
export function chooseProjector(files: RepositoryFile[]): RepositoryFile | undefined {
  const projectors = files.filter(({ path }) => /\.gguf$/i.test(path) && isProjector(path));
  const rank = rankBy(PROJECTOR_ORDER);
  return projectors.sort((a, b) => rank(a) - rank(b))[0];
}

function matchesTag(path: string, tag: string): boolean {
  const file = path.split('/').at(-1)!.toLowerCase();
  const unsplit = withoutPartNumber(file);
  const lowerTag = tag.toLowerCase();
  return (
    [file, unsplit].some((name) => name === lowerTag || name === `${lowerTag}.gguf`) ||
    quantizationLabel(unsplit)?.toLowerCase() === lowerTag
  );
}

/** Ranks files by the place of their quantization in the list; all others come last. */
function rankBy(order: readonly string[]): (file: RepositoryFile) => number {
  return ({ path }) => {
    const at = order.indexOf(quantizationLabel(withoutPartNumber(path))?.toUpperCase() ?? '');
    return at < 0 ? order.length : at;
  };
}

const isProjector = (path: string) => /(^|[/._-])mmproj([/._-]|$)/i.test(path);
