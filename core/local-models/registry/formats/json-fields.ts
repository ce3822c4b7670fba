/** Values of the expected type in JSON and in other untyped metadata. */
import { isObject } from '#core/base';

export type Json = Record<string, unknown>;

/** The value if it is an object, otherwise an empty object. */
export const asObject = (value: unknown): Json => (isObject(value) ? value : {});

export const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The value if it is a finite number. */
export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
