/** Reading parts of saved graphs, whose shapes differ with the age of the file. */
import { type Fields, isFields, type Value } from '#web/app/graph-editor/graph/value.ts';

export const list = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);

export const fieldsIn = (value: Value | undefined): Fields[] => list(value).filter(isFields);

/** `[x, y]` or `{"0": x, "1": y}`. */
export function pair(value: Value | undefined): [number, number] | undefined {
  const [x, y] = Array.isArray(value) ? value : isFields(value) ? [value[0], value[1]] : [];
  return typeof x === 'number' && typeof y === 'number' ? [x, y] : undefined;
}

export function rest(fields: Fields, known: ReadonlySet<string>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name)));
}

export interface SavedLink {
  id: string;
  from: string;
  output: number;
  to: string;
  input: number;
}

/** Rows `[id, from, output, to, input, type]`, or objects in newer files. Those that are none are left out. */
export function readLinks(links: Value | undefined): SavedLink[] {
  return list(links).flatMap((link) => {
    const [id, from, output, to, input] = Array.isArray(link)
      ? link
      : isFields(link)
        ? [link.id, link.origin_id, link.origin_slot, link.target_id, link.target_slot]
        : [];
    if (id === undefined || from === undefined || to === undefined) return [];
    if (typeof output !== 'number' || typeof input !== 'number') return [];
    return [{ id: String(id), from: String(from), output, to: String(to), input }];
  });
}
