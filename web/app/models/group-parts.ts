import { withoutPartNumber } from '#core/base';

/** The files that a person chose, with the parts of one split file together in the order of their names. */
export function groupParts(files: Iterable<File>): File[][] {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  const groups = new Map<string, File[]>();
  for (const file of sorted) {
    const name = withoutPartNumber(file.name);
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  return [...groups.values()];
}
