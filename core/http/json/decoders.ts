/**
 * Descriptions of request bodies, decoded as Go's encoding/json decodes into structs:
 * - Keys match without regard to case, and unknown keys are ignored.
 * - null means that a field is absent, and the last of duplicate keys counts.
 * - A value of the wrong type is reported with Go's text. The first report fails the body when all of it is decoded.
 *   So an error of a type with its own decoder outranks it.
 */
import { ApiError } from '../errors/api-error.ts';
import type { JsonNode } from './json-nodes.ts';

/** Where a value belongs, for Go's error texts, and the errors found so far. */
export interface DecodeContext {
  /** The innermost Go struct, `ChatRequest`; empty at the top. */
  struct: string;
  /** The keys from the root to the value. */
  path: string[];
  /** Keeps `struct` for everything below: a Go type with its own decoder hides the structs inside of it. */
  sealed: boolean;
  /** The text of the whole body. */
  source: string;
  errors: ApiError[];
}

/** Decodes JSON into a Go type's counterpart. */
export interface JsonDecoder<T> {
  /** The Go type, for error texts. */
  readonly goType: string;
  /**
   * Undefined: the value is null, or of a wrong type that was reported to `context`.
   * @throws ApiError where Go stops decoding at once
   */
  decode(node: JsonNode, context: DecodeContext): T | undefined;
}
/** The type that a decoder results in. */
export type DecodedValue<D> = D extends JsonDecoder<infer T> ? T : never;

/**
 * Reports a value of the wrong type to `context`.
 * @param description in place of the word for the value's type
 */
export function reportMismatch(
  node: JsonNode,
  goType: string,
  context: DecodeContext,
  description: string = node.type,
): undefined {
  const { struct, path } = context;
  const where = struct
    ? `Go struct field ${struct}.${path.join('.')}`
    : path.length
      ? `Go struct field .${path.join('.')}`
      : 'Go value';
  context.errors.push(
    new ApiError(400, `json: cannot unmarshal ${description} into ${where} of type ${goType}`),
  );
}

function scalarField<T>(goType: string, type: JsonNode['type'], read: (node: never) => T): JsonDecoder<T> {
  return {
    goType,
    decode(node, context) {
      if (node.type === 'null') return undefined;
      return node.type === type ? read(node as never) : reportMismatch(node, goType, context);
    },
  };
}

/** A Go string. */
export const stringField = scalarField<string>('string', 'string', (node: { value: string }) => node.value);
/** A Go bool. */
export const booleanField = scalarField<boolean>('bool', 'bool', (node: { value: boolean }) => node.value);

/** A 64-bit integer. Beyond 2^53 the result is a double and may lose its last digits. */
export const integerField: JsonDecoder<number> = {
  goType: 'int',
  decode(node, context) {
    if (node.type === 'null') return undefined;
    if (node.type !== 'number') return reportMismatch(node, 'int', context);
    // No 64-bit integer is longer. Long texts would take long to convert.
    if (
      node.text.length > 20 ||
      !/^-?[0-9]+$/.test(node.text) ||
      BigInt.asIntN(64, BigInt(node.text)) !== BigInt(node.text)
    )
      return reportMismatch(node, 'int', context, `number ${node.text}`);
    return Number(node.text);
  },
};

function floatField(goType: string, largest: number): JsonDecoder<number> {
  return {
    goType,
    decode(node, context) {
      if (node.type === 'null') return undefined;
      if (node.type !== 'number') return reportMismatch(node, goType, context);
      const value = Number(node.text);
      return Math.abs(value) > largest ? reportMismatch(node, goType, context, `number ${node.text}`) : value;
    },
  };
}
/** A Go float64: numbers beyond its range are refused. */
export const float64Field = floatField('float64', Number.MAX_VALUE);
/** A Go float32: numbers beyond its range are refused. */
export const float32Field = floatField('float32', 3.4028234663852886e38);

/** Any value, as its node. null is a node of type `null`, so that it differs from an absent field. */
export const rawField: JsonDecoder<JsonNode> = { goType: 'interface {}', decode: (node) => node };

/** A Go slice. Items that are null or of a wrong type are undefined. */
export function arrayOf<T>(
  item: JsonDecoder<T>,
  goType = `[]${item.goType}`,
): JsonDecoder<(T | undefined)[]> {
  return {
    goType,
    decode(node, context) {
      if (node.type === 'null') return undefined;
      if (node.type !== 'array') return reportMismatch(node, goType, context);
      return node.items.map((value) => item.decode(value, context));
    },
  };
}

/** A Go map: its entries in the order of the text, duplicate keys included. */
export function mapOf<T>(item: JsonDecoder<T>, goType: string): JsonDecoder<[string, T | undefined][]> {
  return {
    goType,
    decode(node, context) {
      if (node.type === 'null') return undefined;
      if (node.type !== 'object') return reportMismatch(node, goType, context);
      // Go's errors name the fields of structs alone, never the keys of maps.
      return node.members.map(([key, value]) => [key, item.decode(value, context)]);
    },
  };
}

/** A Go type with its own `UnmarshalJSON`: its first error ends the decoding of the whole body. */
export function customField<T>(
  goType: string,
  read: (node: JsonNode, context: DecodeContext) => T | undefined,
): JsonDecoder<T> {
  return {
    goType,
    decode(node, context) {
      const inner: DecodeContext = { ...context, sealed: true, errors: [] };
      const value = read(node, inner);
      if (inner.errors[0]) throw inner.errors[0];
      return value;
    },
  };
}

type Fields = Record<string, JsonDecoder<unknown>>;
/** The type that `structOf` of these fields results in. */
export type StructValue<F extends Fields> = { [K in keyof F]?: DecodedValue<F[K]> };

/** Two keys are equal to Go if these are. */
const foldCase = (key: string) => key.toUpperCase().toLowerCase();

/**
 * A Go struct.
 * @param goType with its package: `api.ChatRequest`
 */
export function structOf<F extends Fields>(goType: string, fields: F): JsonDecoder<StructValue<F>> {
  const name = goType.slice(goType.lastIndexOf('.') + 1);
  const keysByFoldedKey = new Map(Object.keys(fields).map((key) => [foldCase(key), key]));
  return {
    goType,
    decode(node, context) {
      if (node.type === 'null') return undefined;
      if (node.type !== 'object') return reportMismatch(node, goType, context);
      const result: Record<string, unknown> = {};
      for (const [written, value] of node.members) {
        const key = Object.hasOwn(fields, written) ? written : keysByFoldedKey.get(foldCase(written));
        if (key === undefined) continue;
        const decoded = fields[key]!.decode(value, {
          ...context,
          struct: context.sealed && context.struct ? context.struct : name,
          path: [...context.path, key],
        });
        if (decoded !== undefined) result[key] = decoded;
      }
      return result as StructValue<F>;
    },
  };
}

/**
 * Decodes a whole body; null results in `{}`.
 * @throws ApiError 400 with Go's text
 */
export function decodeBody<F extends object>(
  decoder: JsonDecoder<F>,
  document: { source: string; root: JsonNode },
): F {
  const context: DecodeContext = {
    struct: '',
    path: [],
    sealed: false,
    source: document.source,
    errors: [],
  };
  const value = decoder.decode(document.root, context);
  if (context.errors[0]) throw context.errors[0];
  return value ?? ({} as F);
}
