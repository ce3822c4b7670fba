/** Extension methods of one type of value, by name. What a person passes may be anything. */
// biome-ignore lint/suspicious/noExplicitAny: checked by each method where it matters
export type Extensions<T> = Record<string, (value: T, ...args: any[]) => unknown>;
