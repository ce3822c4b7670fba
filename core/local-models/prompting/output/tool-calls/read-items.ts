import type { Cursor } from './cursor.ts';

/** A value of a call's arguments. Undefined stands for "this is no value". */
export type ArgumentValue = NonNullable<unknown> | null;

/** Nested values beyond this depth are no call. It keeps the recursion far from the limit of the stack. */
export const MAX_DEPTH = 100;

/**
 * Reads items between commas up to `close`, which is read too; the opening bracket must have been read. Undefined: an
 * item cannot be read, or a comma is missing.
 * @param readItem gets the number of items before this one
 * @param trailingComma whether a comma may precede `close`
 */
export function readCommaSeparated<T extends ArgumentValue>(
  cursor: Cursor,
  close: string,
  readItem: (index: number) => T | undefined,
  trailingComma: boolean,
): T[] | undefined {
  const items: T[] = [];
  for (;;) {
    cursor.space();
    if (cursor.word(close)) return items;
    if (items.length > 0) {
      if (!cursor.word(',')) return undefined;
      cursor.space();
      if (trailingComma && cursor.word(close)) return items;
    }
    const item = readItem(items.length);
    if (item === undefined) return undefined;
    items.push(item);
  }
}
