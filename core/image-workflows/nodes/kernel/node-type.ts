/** The declaration of a node: its inputs, outputs and function. `nodes/index.ts` lists all of them. */
import type { ValueType } from '../../values/value-types.ts';
import type { Input, InputValues } from './inputs.ts';
import type { NodeContext } from './node-context.ts';

/** One output of a node. */
export interface Output {
  /** A value type. A fixed list of names for an output that feeds a choice. */
  type: ValueType | (string & {}) | readonly string[];
  /** The output's name. Default: its type. */
  name?: string;
  /** The output is an array of values. The nodes that use it run once for each value. */
  list?: boolean;
  /** Newer versions have this output: graphs may use it, and descriptions leave it out. */
  isUnlisted?: boolean;
  /** The output has the type of what is linked to the `matching` inputs of this template. */
  matches?: string;
  tooltip?: string;
}

/** The inputs of a node by name, in the order of `/object_info`. */
export type Inputs = Record<string, Input<unknown, boolean>>;

/** Results that clients receive in `executed` messages and in the history, such as `{ images: [...] }`. */
export type Ui = Record<string, unknown[]>;

/** The result of `run`: the outputs in order, alone or with results for clients. */
export type NodeResult = readonly unknown[] | { outputs?: readonly unknown[]; ui?: Ui };

/** Content of a hidden input. Nodes read it from their context. UNIQUE_ID makes the node's id part of its cache key. */
export type HiddenInput = 'PROMPT' | 'EXTRA_PNGINFO' | 'UNIQUE_ID' | 'DYNPROMPT';

/** A declared node: how editors show it, and what it computes. */
export interface NodeType<I extends Inputs = Inputs> {
  /** `class_type` in graphs. Unique. */
  readonly name: string;
  /** The name in editors. `modern` nodes may publish null. */
  readonly displayName?: string | null;
  readonly category: string;
  readonly description?: string;
  /** `python_module` of `/object_info`, by which clients group nodes. tabd's own nodes have `tabd`. */
  readonly module: string;
  /** Published in ComfyUI's newer form: more fields, and choices as `COMBO`, which validation does not check. */
  readonly modern?: boolean;
  readonly deprecated?: boolean;
  readonly experimental?: boolean;
  /** The inputs in the order of `/object_info`, required inputs first. */
  readonly inputs: I;
  readonly hidden?: Record<string, HiddenInput>;
  readonly outputs: readonly Output[];
  /** Execution starts from these nodes and runs only what they depend on. */
  readonly isOutput?: boolean;
  /** `run` is called once, and every input's value is an array. */
  readonly inputsAreLists?: boolean;
  /** Two nodes of this type never share a cached result, even with equal inputs. */
  readonly notIdempotent?: boolean;
  /**
   * Names the lazy inputs that the node needs. Inputs that are not computed yet are undefined in `values`. Called
   * again until it names no missing input.
   */
  needs?(values: Partial<InputValues<I>>): readonly string[];
  /**
   * Identifies what the result depends on outside of the graph, such as a file's digest. Undefined: neither this
   * result nor one that depends on it is cached. `values` contains literal inputs alone.
   */
  fingerprint?(
    values: Partial<InputValues<I>>,
    context: Pick<NodeContext, 'files' | 'host' | 'signal'>,
  ): string | undefined | Promise<string | undefined>;
  /**
   * Replaces the checks of range and choice for the inputs in `inputs`. `check` returns true, or the error message.
   * `values` contains literal inputs alone.
   */
  readonly validate?: {
    inputs: readonly string[];
    check(
      values: Partial<InputValues<I>>,
      context: Pick<NodeContext, 'files' | 'host'>,
    ): true | string | Promise<true | string>;
  };
  /** Computes the outputs. Clients receive the name and the message of an error that it throws. */
  run(values: InputValues<I>, context: NodeContext): NodeResult | Promise<NodeResult>;
}

/** A node with any inputs. */
// biome-ignore lint/suspicious/noExplicitAny: `run` takes what its own inputs say
export type AnyNode = NodeType<any>;

/** Declares a node. `run` receives its values by name, with types from `inputs`. */
export function node<const I extends Inputs>(declaration: NodeType<I>): NodeType<I> {
  return declaration;
}

/** An output. Its name is its type unless `name` says otherwise. */
export function output<T extends ValueType>(type: T, name?: string, options: Partial<Output> = {}): Output {
  return { type, ...(name !== undefined && { name }), ...options };
}
