/** Inputs of nodes: small builders that carry the type of the value which `run` gets. */
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { ValueType, ValueTypes } from '../../values/value-types.ts';

/** As published: `[type, options]`. Members that tabd does not look at are for editors. */
export interface InputOptions {
  default?: unknown;
  min?: number | bigint;
  max?: number | bigint;
  step?: number;
  round?: number | false;
  multiline?: boolean;
  dynamicPrompts?: boolean;
  tooltip?: string;
  control_after_generate?: boolean;
  image_upload?: boolean;
  display?: string;
  advanced?: boolean;
  forceInput?: boolean;
  [other: string]: unknown;
}

/** Names to choose from: fixed, or read anew each time they are asked for. */
export type Choices = readonly string[] | ((files: WorkflowFiles) => Promise<readonly string[]>);

export interface Input<T, Required extends boolean = true> {
  /** A type name (`IMAGE,FLOAT` is a union), or choices. */
  readonly type: string | { choices: Choices };
  readonly options: InputOptions | undefined;
  readonly optional: boolean;
  readonly lazy?: boolean;
  /** INT only: given to `run` as a bigint, all 64 bits. */
  readonly exact?: boolean;
  /** Only for the type checker. */
  readonly value?: T;
  readonly required?: Required;
}

export type InputValues<I> = {
  [K in keyof I]: I[K] extends Input<infer T, infer R> ? (R extends true ? T : T | undefined) : never;
};

const make = <T>(type: Input<T>['type'], options: InputOptions | undefined): Input<T> => ({
  type,
  options,
  optional: false,
});

/** A whole number that a double holds. */
export const int = (options: InputOptions = {}): Input<number> => make('INT', options);
/** A whole number of up to 64 bits, for seeds: `run` gets a bigint. */
export const int64 = (options: InputOptions = {}): Input<bigint> => ({
  ...make<bigint>('INT', options),
  exact: true,
});
export const float = (options: InputOptions = {}): Input<number> => make('FLOAT', options);
export const string = (options: InputOptions = {}): Input<string> => make('STRING', options);
export const boolean = (options: InputOptions = {}): Input<boolean> => make('BOOLEAN', options);
/** One of `choices`. Without `options` it publishes `[choices]` alone. */
export const choice = <const C extends Choices>(
  choices: C,
  options?: InputOptions,
): Input<C extends readonly (infer N)[] ? N : string> => make({ choices }, options);
/** Something that another node makes. `options` given as undefined publishes `[type]` alone. */
export const link = <T extends ValueType>(
  type: T,
  ...options: [InputOptions | undefined] | []
): Input<ValueTypes[T]> => make(type, options.length === 0 ? {} : options[0]);
/** A type that is none of tabd's own, or a union of several. */
export const anyOf = (type: string, ...options: [InputOptions | undefined] | []): Input<unknown> =>
  make(type, options.length === 0 ? {} : options[0]);

/** May be left out. */
export const optional = <T>(input: Input<T>): Input<T, false> =>
  ({ ...input, optional: true }) as Input<T, false>;
/** Made only when `needs` asks for it. */
export const lazy = <T, R extends boolean>(input: Input<T, R>): Input<T, false> =>
  ({ ...input, lazy: true, options: { ...input.options, lazy: true } }) as unknown as Input<T, false>;
