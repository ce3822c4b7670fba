/** Assertions that run anywhere: vitest and a browser's worker run the same cases. */
export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`expected ${what}`);
}

export function equal(actual: unknown, expected: unknown, what = 'the value'): void {
  const shown = (value: unknown) => JSON.stringify(value) ?? String(value);
  if (shown(actual) !== shown(expected)) {
    throw new Error(`${what}: expected ${shown(expected)}, got ${shown(actual)}`);
  }
}

/** The name of the error with which `work` fails. */
export async function failure(work: () => unknown): Promise<Error> {
  try {
    await work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a failure, but it succeeded');
}

/** A case of a contract. Throws when the implementation violates it. */
export interface Case<Environment> {
  name: string;
  run(environment: Environment): Promise<void>;
}
