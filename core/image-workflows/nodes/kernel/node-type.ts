import type { ValueType, ValueTypes } from '../../values/value-types.ts';
import type { Input, InputValues } from './inputs.ts';
import type { NodeContext } from './node-context.ts';

export interface Output {
  /** A value type, or a fixed list of names for outputs that feed a choice. */
  type: ValueType | (string & {}) | readonly string[];
  /** Default: the type. */
  name?: string;
  /** Gives several values; what follows runs once for each. */
  list?: boolean;
  tooltip?: string;
}

export type Inputs = Record<string, Input<unknown, boolean>>;

/** Shown to clients under the node's id in `executed` and history: `{ images: [...] }`. */
export type Ui = Record<string, unknown[]>;

/** What `run` gives: the outputs in order, alone or with something to show. */
export type NodeResult = readonly unknown[] | { outputs?: readonly unknown[]; ui?: Ui };

/** What a hidden input is filled with; nodes read it from their context. UNIQUE_ID makes the node's id part of its cache key. */
export type HiddenInput = 'PROMPT' | 'EXTRA_PNGINFO' | 'UNIQUE_ID' | 'DYNPROMPT';

export interface NodeType<I extends Inputs = Inputs> {
  /** `class_type`, unique. */
  readonly name: string;
  /** null or absent: none. */
  readonly displayName?: string | null;
  readonly category: string;
  readonly description?: string;
  /** `python_module` of `/object_info`, by which clients group nodes: `nodes`, `comfy_extras.nodes_mask`; ours: `tabd`. */
  readonly module: string;
  /** Published as newer nodes are: more fields, choices as `COMBO` with options that are not checked before the run. */
  readonly modern?: boolean;
  readonly deprecated?: boolean;
  readonly experimental?: boolean;
  /** In the order of `/object_info`: required ones first. */
  readonly inputs: I;
  readonly hidden?: Record<string, HiddenInput>;
  readonly outputs: readonly Output[];
  /** Its result is what a prompt is run for. */
  readonly isOutput?: boolean;
  /** Called once with whole lists: every input's value is an array. */
  readonly inputsAreLists?: boolean;
  /** Two of them never share a cached result. */
  readonly notIdempotent?: boolean;
  /**
   * Which of the lazy inputs are needed, seen what is there so far (missing ones are undefined); asked again until it
   * names none that is missing.
   */
  needs?(values: Partial<InputValues<I>>): readonly string[];
  /**
   * Something outside the graph that the result depends on (a file's digest). undefined: the result is never kept, nor
   * what comes after it. Called with literal inputs only.
   */
  fingerprint?(
    values: Partial<InputValues<I>>,
    context: Pick<NodeContext, 'files' | 'host' | 'signal'>,
  ): string | undefined | Promise<string | undefined>;
  /** Replaces the checks of range and choice for the inputs in `inputs`; a text is what is wrong. Literals only. */
  readonly validate?: {
    inputs: readonly string[];
    check(
      values: Partial<InputValues<I>>,
      context: Pick<NodeContext, 'files' | 'host'>,
    ): true | string | Promise<true | string>;
  };
  /** Throw for failure: message and the error's name reach the client. */
  run(values: InputValues<I>, context: NodeContext): NodeResult | Promise<NodeResult>;
}

/** Any node, whatever its inputs. */
// biome-ignore lint/suspicious/noExplicitAny: `run` takes what its own inputs say
export type AnyNode = NodeType<any>;

/** Declares a node; `run` gets its values by name, typed by `inputs`. */
export function node<const I extends Inputs>(declaration: NodeType<I>): AnyNode {
  return declaration;
}

export function output<T extends ValueType>(type: T, name?: string, options: Partial<Output> = {}): Output {
  return { type, ...(name !== undefined && { name }), ...options };
}

export type { ValueTypes };
