/**
 * Values that hold bytes, as they go over the border of a sandbox: JSON, and beside it the bytes, to which marks in the
 * JSON point. As text in the JSON they would have to be read by an interpreter, sign by sign.
 */

/** No field of anybody's data is likely to have this name; one that has points at most to bytes of the same message. */
const MARK = '\0bytes';

/** Stands for bytes in a value that is to be packed: a Buffer would become a list of numbers before it is seen. */
export class Bytes {
  constructor(readonly data: Uint8Array) {}
}

export interface Packed {
  text: string;
  parts: Uint8Array[];
}

export function pack(value: unknown): Packed {
  const parts: Uint8Array[] = [];
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    const data = inner instanceof Bytes ? inner.data : inner;
    return data instanceof Uint8Array ? { [MARK]: parts.push(data) - 1 } : inner;
  });
  return { text: text ?? '', parts };
}

/** @param parts in the order in which they were packed */
export function unpack<Part>(text: string, parts: readonly Part[]): unknown {
  if (text === '') return undefined;
  if (parts.length === 0) return JSON.parse(text);
  return JSON.parse(text, (_key, inner: unknown) => {
    const at = typeof inner === 'object' && inner !== null && (inner as Record<string, unknown>)[MARK];
    return typeof at === 'number' ? (parts[at] ?? inner) : inner;
  });
}
