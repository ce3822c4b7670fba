/**
 * Values that hold bytes, in the form in which they cross the border of a sandbox: JSON, and the bytes next to it.
 * Marks in the JSON say which bytes belong where. If the bytes were text in the JSON, an interpreter would have to read
 * each character.
 */

/** The key of a mark. No field of a workflow is likely to have it; if one does, it can only name bytes of its own message. */
const MARK = '\0bytes';

/** Bytes in a value that is to be packed. `JSON.stringify` would turn a Buffer into a list of numbers before it is seen. */
export class Bytes {
  constructor(readonly data: Uint8Array) {}
}

interface PackedMessage {
  /** JSON, or empty text for undefined. */
  text: string;
  parts: Uint8Array[];
}

export function packMessage(value: unknown): PackedMessage {
  const parts: Uint8Array[] = [];
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    const data = inner instanceof Bytes ? inner.data : inner;
    return data instanceof Uint8Array ? { [MARK]: parts.push(data) - 1 } : inner;
  });
  return { text: text ?? '', parts };
}

/** @param parts in the order in which they were packed */
export function unpackMessage<Part>(text: string, parts: readonly Part[]): unknown {
  if (text === '') return undefined;
  if (parts.length === 0) return JSON.parse(text);
  return JSON.parse(text, (_key, inner: unknown) => {
    const index = typeof inner === 'object' && inner !== null && (inner as Record<string, unknown>)[MARK];
    return typeof index === 'number' ? (parts[index] ?? inner) : inner;
  });
}
