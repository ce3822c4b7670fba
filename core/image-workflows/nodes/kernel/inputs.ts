/** Builders of node inputs. Each carries the type of the value that `run` receives. */
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { ValueType, ValueTypes } from '../../values/value-types.ts';

/** The second part of a published input, `[type, options]`. Members that tabd does not read are for editors. */
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

/** The options of a choice: a fixed list, or a function that lists files. It runs for each description and validation. */
export type Choices = readonly string[] | ((files: WorkflowFiles) => Promise<readonly string[]>);

export interface Input<T, Required extends boolean = true> {
  /** A type name, or choices. `IMAGE,FLOAT` is a union. */
  readonly type: string | { choices: Choices };
  readonly options: InputOptions | undefined;
  readonly optional: boolean;
  readonly lazy?: boolean;
  /** INT only: `run` receives a bigint with all 64 bits. */
  readonly exact?: boolean;
  /** Further inputs follow from the graph. */
  readonly dynamic?: Dynamic;
  /** Carries the type for the type checker. Its value is never set. */
  readonly value?: T;
  readonly required?: Required;
}

/** The part of an input's declaration from which its members follow. */
export type Dynamic =
  | {
      readonly kind: 'group';
      readonly member: Input<unknown, boolean>;
      /** The name of the member in the published template. */
      readonly template: string;
      readonly names: readonly string[];
      /** The published form of the names: a prefix for numbers from 0, or the list. */
      readonly prefix?: string;
      /** So many members must be there, in order. */
      readonly min: number;
    }
  | {
      readonly kind: 'variants';
      readonly variants: Readonly<Record<string, Readonly<Record<string, Input<unknown, boolean>>>>>;
    };

/** The values that `run` receives for inputs. Optional ones may be undefined. */
export type InputValues<I> = {
  [K in keyof I]: I[K] extends Input<infer T, infer R> ? (R extends true ? T : T | undefined) : never;
};

const make = <T>(type: Input<T>['type'], options: InputOptions | undefined): Input<T> => ({
  type,
  options,
  optional: false,
});

/** An integer that a double represents exactly. */
export const int = (options: InputOptions = {}): Input<number> => make('INT', options);
/** An integer of up to 64 bits, for seeds: `run` receives a bigint. */
export const int64 = (options: InputOptions = {}): Input<bigint> => ({
  ...make<bigint>('INT', options),
  exact: true,
});
export const float = (options: InputOptions = {}): Input<number> => make('FLOAT', options);
export const string = (options: InputOptions = {}): Input<string> => make('STRING', options);
export const boolean = (options: InputOptions = {}): Input<boolean> => make('BOOLEAN', options);
/** One of `choices`. Publishes `[choices]` alone without `options`. */
export const choice = <const C extends Choices>(
  choices: C,
  options?: InputOptions,
): Input<C extends readonly (infer N)[] ? N : string> => make({ choices }, options);
/** The output of another node. Publishes `[type, {}]` by default, and `[type]` alone with `undefined` as options. */
export const link = <T extends ValueType>(
  type: T,
  ...options: [InputOptions | undefined] | []
): Input<ValueTypes[T]> => make(type, options.length === 0 ? {} : options[0]);
/** Works like `link`, for a type outside of `ValueTypes`, or a union of several types. */
export const anyOf = (type: string, ...options: [InputOptions | undefined] | []): Input<unknown> =>
  make(type, options.length === 0 ? {} : options[0]);

/** An input that a graph may omit. */
export const optional = <T>(input: Input<T>): Input<T, false> =>
  ({ ...input, optional: true }) as Input<T, false>;
/** An input that is computed only when the node's `needs` names it. */
export const lazy = <T, R extends boolean>(input: Input<T, R>): Input<T, false> =>
  ({ ...input, lazy: true, options: { ...input.options, lazy: true } }) as unknown as Input<T, false>;
