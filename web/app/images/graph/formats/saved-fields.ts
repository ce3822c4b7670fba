/** Readers of saved graphs, whose JSON differs between versions of ComfyUI's editor. */
import { type ExactJsonObject, isJsonObject, type JsonValue } from '#web/app/graph-editor/graph/value.ts';

export const asList = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

export const objectsIn = (value: JsonValue | undefined): ExactJsonObject[] =>
  asList(value).filter(isJsonObject);

/** Reads `[x, y]` or `{"0": x, "1": y}`. */
export function readPair(value: JsonValue | undefined): [number, number] | undefined {
  const [x, y] = Array.isArray(value) ? value : isJsonObject(value) ? [value[0], value[1]] : [];
  return typeof x === 'number' && typeof y === 'number' ? [x, y] : undefined;
}

export function withoutFields(fields: ExactJsonObject, omitted: ReadonlySet<string>): ExactJsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !omitted.has(name)));
}

export interface SavedLink {
  id: string;
  from: string;
  output: number;
  to: string;
  input: number;
}

/** Reads rows `[id, from, output, to, input, type]`, or objects in newer files. Skips invalid links. */
export function readLinks(links: JsonValue | undefined): SavedLink[] {
  return asList(links).flatMap((link) => {
    const [id, from, output, to, input] = Array.isArray(link)
      ? link
      : isJsonObject(link)
        ? [link.id, link.origin_id, link.origin_slot, link.target_id, link.target_slot]
        : [];
    if (id === undefined || from === undefined || to === undefined) return [];
    if (typeof output !== 'number' || typeof input !== 'number') return [];
    return [{ id: String(id), from: String(from), output, to: String(to), input }];
  });
}
