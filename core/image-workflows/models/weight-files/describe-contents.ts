import fileKinds from './file-kinds.json' with { type: 'json' };
import type { WeightFile } from './read-weight-file.ts';

/** Names of tensors in a message. */
const SHOWN = 3;

/** The first names of a file's tensors, and the kind of file that most of them belong to with the node that loads it. */
export function describeContents({ table }: WeightFile): string {
  const names = [...table.keys()];
  if (names.length === 0) return 'the file has no tensors';
  const nearest = nearestKind(names);
  const kind = nearest
    ? `the nearest kind is ${nearest.name}, for ${nearest.loader}`
    : 'they resemble no kind of model that is known here';
  return `its ${names.length} tensors begin with ${names.slice(0, SHOWN).join(', ')}: ${kind}`;
}

/** The kind of file to which most of the names belong, with their number. Undefined: none belongs to a known kind. */
export function nearestKind(
  names: readonly string[],
): { name: string; loader: string; folder: string; count: number } | undefined {
  const counted = fileKinds.map(({ pattern, ...kind }) => ({
    kind,
    count: names.filter((name) => new RegExp(pattern).test(name)).length,
  }));
  const nearest = counted.reduce((best, other) => (other.count > best.count ? other : best));
  return nearest.count > 0 ? { ...nearest.kind, count: nearest.count } : undefined;
}
