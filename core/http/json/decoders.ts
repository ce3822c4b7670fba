/**
 * Descriptions of request bodies, decoded as Go decodes into structs: keys match without regard to case, unknown keys
 * are ignored, null means absent, a later duplicate wins, and a value of the wrong type is reported with Go's text
 * (the first one found; decoding goes on, so that a syntax error or a custom type's error can outrank it).
 */
import { ApiError } from '../errors/api-error.ts';
import type { JsonNode } from './parse-json.ts';

/** Where a value belongs, for error texts. */
export interface DecodeContext {
  /** Innermost Go struct, `ChatRequest`; empty at the top. */
  struct: string;
  path: string[];
  /** Keep `struct` for everything below: Go types with their own unmarshaller hide their inner structs. */
  sealed: boolean;
  source: string;
  errors: ApiError[];
}

export interface JsonDecoder<T> {
  readonly goType: string;
  /** undefined = null or of the wrong type (then reported to `place`). Throws ApiError where Go gives up at once. */
  decode(node: JsonNode, place: DecodeContext): T | undefined;
}
export type DecodedValue<D> = D extends JsonDecoder<infer T> ? T : never;

/** Reports a value of the wrong type. `detail` replaces the word for its type. */
export function reportMismatch(
  node: JsonNode,
  goType: string,
  place: DecodeContext,
  detail: string = node.type,
): undefined {
  const where = place.struct
    ? `Go struct field ${place.struct}.${place.path.join('.')}`
    : place.path.length
      ? `Go struct field .${place.path.join('.')}`
      : 'Go value';
  place.errors.push(new ApiError(400, `json: cannot unmarshal ${detail} into ${where} of type ${goType}`));
}

function scalar<T>(goType: string, type: JsonNode['type'], read: (node: never) => T): JsonDecoder<T> {
  return {
    goType,
    decode(node, place) {
      if (node.type === 'null') return undefined;
      return node.type === type ? read(node as never) : reportMismatch(node, goType, place);
    },
  };
}

export const stringField = scalar<string>('string', 'string', (node: { value: string }) => node.value);
export const booleanField = scalar<boolean>('bool', 'bool', (node: { value: boolean }) => node.value);

/** A 64-bit integer; beyond 2^53 it is a double and may lose its last digits. */
export const integerField: JsonDecoder<number> = {
  goType: 'int',
  decode(node, place) {
    if (node.type === 'null') return undefined;
    if (node.type !== 'number') return reportMismatch(node, 'int', place);
    if (!/^-?[0-9]+$/.test(node.text) || BigInt.asIntN(64, BigInt(node.text)) !== BigInt(node.text))
      return reportMismatch(node, 'int', place, `number ${node.text}`);
    return Number(node.text);
  },
};

function floating(goType: string, largest: number): JsonDecoder<number> {
  return {
    goType,
    decode(node, place) {
      if (node.type === 'null') return undefined;
      if (node.type !== 'number') return reportMismatch(node, goType, place);
      const value = Number(node.text);
      return Math.abs(value) > largest ? reportMismatch(node, goType, place, `number ${node.text}`) : value;
    },
  };
}
export const float64Field = floating('float64', Number.MAX_VALUE);
export const float32Field = floating('float32', 3.4028234663852886e38);

/** Any value, unread. `absent` unless the member was there; null is a node of type null. */
export const rawField: JsonDecoder<JsonNode> = { goType: 'interface {}', decode: (node) => node };

export function arrayOf<T>(
  item: JsonDecoder<T>,
  goType = `[]${item.goType}`,
): JsonDecoder<(T | undefined)[]> {
  return {
    goType,
    decode(node, place) {
      if (node.type === 'null') return undefined;
      if (node.type !== 'array') return reportMismatch(node, goType, place);
      return node.items.map((value) => item.decode(value, place));
    },
  };
}

export function mapOf<T>(item: JsonDecoder<T>, goType: string): JsonDecoder<[string, T | undefined][]> {
  return {
    goType,
    decode(node, place) {
      if (node.type === 'null') return undefined;
      if (node.type !== 'object') return reportMismatch(node, goType, place);
      // Go names the fields of structs only, not the keys of maps.
      return node.members.map(([key, value]) => [key, item.decode(value, place)]);
    },
  };
}

/** A value that Go's type parses by itself: the first error inside ends the decoding of the whole body. */
export function customField<T>(
  goType: string,
  read: (node: JsonNode, place: DecodeContext) => T | undefined,
): JsonDecoder<T> {
  return {
    goType,
    decode(node, place) {
      const inner: DecodeContext = { ...place, sealed: true, errors: [] };
      const value = read(node, inner);
      if (inner.errors[0]) throw inner.errors[0];
      return value;
    },
  };
}

type Fields = Record<string, JsonDecoder<unknown>>;
export type StructValue<F extends Fields> = { [K in keyof F]?: DecodedValue<F[K]> };

const fold = (key: string) => key.toUpperCase().toLowerCase();

/** `goType` with its package: `api.ChatRequest`. */
export function structOf<F extends Fields>(goType: string, fields: F): JsonDecoder<StructValue<F>> {
  const name = goType.slice(goType.lastIndexOf('.') + 1);
  const folded = new Map(Object.keys(fields).map((key) => [fold(key), key]));
  return {
    goType,
    decode(node, place) {
      if (node.type === 'null') return undefined;
      if (node.type !== 'object') return reportMismatch(node, goType, place);
      const result: Record<string, unknown> = {};
      for (const [written, value] of node.members) {
        const key = Object.hasOwn(fields, written) ? written : folded.get(fold(written));
        if (key === undefined) continue;
        const decoded = fields[key]!.decode(value, {
          ...place,
          struct: place.sealed && place.struct ? place.struct : name,
          path: [...place.path, key],
        });
        if (decoded !== undefined) result[key] = decoded;
      }
      return result as StructValue<F>;
    },
  };
}

/** Decodes a whole body; null gives `{}`. Throws ApiError 400 with Go's text. */
export function decodeBody<F extends object>(
  decoder: JsonDecoder<F>,
  document: { source: string; root: JsonNode },
): F {
  const place: DecodeContext = { struct: '', path: [], sealed: false, source: document.source, errors: [] };
  const value = decoder.decode(document.root, place);
  if (place.errors[0]) throw place.errors[0];
  return value ?? ({} as F);
}
