import fileKinds from './file-kinds.json' with { type: 'json' };
import type { WeightFile } from './read-weight-file.ts';

/** Names of tensors in a message. */
const SHOWN = 3;

/** The first names of a file's tensors, and the kind of file that most of them belong to with the node that loads it. */
export function describeContents({ table }: WeightFile): string {
  const names = [...table.keys()];
  if (names.length === 0) return 'the file has no tensors';
  const counted = fileKinds.map(({ name, loader, pattern }) => ({
    count: names.filter((other) => new RegExp(pattern).test(other)).length,
    text: `the nearest kind is ${name}, for ${loader}`,
  }));
  const nearest = counted.reduce((best, other) => (other.count > best.count ? other : best));
  const kind = nearest.count > 0 ? nearest.text : 'they resemble no kind of model that is known here';
  return `its ${names.length} tensors begin with ${names.slice(0, SHOWN).join(', ')}: ${kind}`;
}
