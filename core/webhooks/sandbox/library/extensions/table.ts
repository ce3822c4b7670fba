/** Extension methods of one type of value, by name. */
// biome-ignore lint/suspicious/noExplicitAny: users pass any values; a method checks those that it relies on
export type Extensions<T> = Record<string, (value: T, ...args: any[]) => unknown>;
