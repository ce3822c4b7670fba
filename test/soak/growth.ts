/** Compares the memory, files and connections of a server at two quiet moments. Growth is a leak. */

/** Counts and megabytes by name. */
export type Usage = Record<string, number>;

export interface Growth {
  name: string;
  before: number;
  after: number;
  perHour: number;
  /** The largest difference that is no leak. */
  allowed: number;
  pass: boolean;
}

/**
 * The growth of each value. A value that was not measured before began at 0.
 *
 * @param allowed by name; a name without an entry may not grow at all
 * @param minutes between the two moments
 */
export function growthOf(before: Usage, after: Usage, allowed: Usage, minutes: number): Growth[] {
  return Object.entries(after).map(([name, value]) => {
    const start = before[name] ?? 0;
    const grown = value - start;
    const limit = allowed[name] ?? 0;
    return {
      name,
      before: start,
      after: value,
      perHour: (grown * 60) / minutes,
      allowed: limit,
      pass: grown <= limit,
    };
  });
}
