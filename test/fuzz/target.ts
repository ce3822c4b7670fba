/** The contract between a fuzz target and the engine. */

export interface FuzzTarget {
  /** The invariant in a few words, for the list of targets. */
  invariant: string;
  /** Valid inputs, from our own writers where there is one. */
  seeds(): Iterable<Uint8Array | string> | Promise<Iterable<Uint8Array | string>>;
  /**
   * Runs the parser, and checks its invariant. Returns or resolves for accepted inputs.
   * Throws `Error` for a broken invariant, and an error of `refusals` for a refused input.
   */
  run(input: Uint8Array<ArrayBuffer>): unknown;
  /** The documented errors for bad input. */
  refusals: readonly (new (
    ...args: never[]
  ) => Error)[];
  /** Words of the format that mutations insert, besides the literals of the code. */
  words?: readonly (string | Uint8Array)[];
  /** Bytes of the longest input. Default: 4096. */
  maxBytes?: number;
  /** Bytes that one run may allocate outside of the heap. Default: 256 MiB. */
  maxMemory?: number;
  /** Milliseconds of processor time that one run may take. Default: 1000. */
  maxTime?: number;
  /** Packages whose code is measured too. Default: only the code of this repository. */
  measured?: readonly string[];
}

/** Checks the type of a target. */
export const fuzzTarget = (target: FuzzTarget): FuzzTarget => target;

const decoder = new TextDecoder();
/** The input as text, with replacement characters for bytes that are not UTF-8. */
export const textOf = (input: Uint8Array<ArrayBuffer>): string => decoder.decode(input);

/** Reads ranges of the input as files are read: the end is exclusive. */
export const rangeReader =
  (input: Uint8Array<ArrayBuffer>) =>
  async (start: number, end: number): Promise<Uint8Array<ArrayBuffer>> => {
    if (!(Number.isSafeInteger(start) && start >= 0 && start <= end && end <= input.length))
      throw new BrokenInvariant(
        `reads outside of the file: reads the range ${start} to ${end} of ${input.length} bytes`,
      );
    return input.slice(start, end);
  };

/** @throws BrokenInvariant unless the condition holds */
export function check(condition: boolean, invariant: string, details = ''): asserts condition {
  if (!condition) throw new BrokenInvariant(`${invariant}: ${details}`);
}

/** Throws unless two values have the same JSON. */
export function requireEqual(invariant: string, actual: unknown, expected: unknown): void {
  const [a, b] = [toText(actual), toText(expected)];
  check(a === b, invariant, `${a.slice(0, 300)} instead of ${b.slice(0, 300)}`);
}

/** The message begins with the invariant, and a colon. */
export class BrokenInvariant extends Error {
  override name = 'BrokenInvariant';
}

const toText = (value: unknown): string =>
  String(
    JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner === 'bigint') return `${inner}n`;
      if (typeof inner === 'number' && !Number.isFinite(inner)) return String(inner);
      if (ArrayBuffer.isView(inner)) return Array.from(inner as Uint8Array);
      return inner instanceof Map ? [...inner] : inner;
    }),
  );
