/**
 * The seam for nodes. A node is one `NodeType` in a file of its own under `nodes/`, listed in `nodes/index.ts`: what it
 * is called, what can be set on it (data: for defaults, for the check before publishing and for the form in the
 * editor), and `execute`.
 */
import type { NodeContext } from './node-context.ts';
import type { NodeOutput, WorkflowNode } from './types.ts';

export interface NodeType {
  /** `n8n-nodes-base.if` */
  name: string;
  label: string;
  /** One sentence for the list of nodes. */
  description: string;
  group: 'trigger' | 'flow' | 'data' | 'network' | 'model';
  /** Known versions, ascending; the last is given to new nodes. */
  versions: number[];
  /** Number of inputs, 0 for a trigger. */
  inputs: number | ((node: NodeSettings) => number);
  /** Labels of the outputs: `['true', 'false']`; the error output is not among them. */
  outputs: string[] | ((node: NodeSettings) => string[]);
  parameters: Parameter[];
  credentials?: CredentialUse[];
  /** What keeps this node from being published, beside missing parameters: one sentence each. */
  issues?(settings: NodeSettings): string[];
  /**
   * Runs as soon as this input has items, even while others still wait (a loop is fed back into). Otherwise a node with
   * several inputs waits for every input that can still receive something.
   */
  runsOnAnyInput?: boolean;
  /**
   * Runs once over all items. Throw `NodeError` for what the person can mend; the runner does retries and the node's
   * settings for errors. Items should carry `pairedItem`; where they do not and the numbers of items are equal (or
   * there was one item in), the runner pairs them.
   */
  execute(context: NodeContext): Promise<NodeOutput>;
}

/** What a description's functions may look at: literal parameters with defaults filled in, nothing evaluated. */
export interface NodeSettings {
  node: WorkflowNode;
  version: number;
  /** The stored value, else the default of this version. `options.ignoreCase`: a path. */
  get(path: string): unknown;
}

export interface CredentialUse {
  /** `httpBasicAuth` */
  type: string;
  required?: boolean;
  show?: Show;
  versions?: Versions;
}

/** All conditions hold: the named parameter has one of these values. `/name`: from the top, not from beside. */
export type Show = Record<string, unknown[]>;
/** Inclusive. */
export interface Versions {
  from?: number;
  to?: number;
}

export interface Parameter {
  name: string;
  label: string;
  type: ParameterType;
  /** Taken where a stored workflow leaves the parameter out. Collections: `{}`. */
  default: unknown;
  /** Must not be empty when the workflow is published. */
  required?: boolean;
  description?: string;
  placeholder?: string;
  /** Several entries with the same name may exist: the first whose `versions` and `show` hold counts. */
  versions?: Versions;
  show?: Show;
  hide?: Show;
  /** `options`, `multiOptions`: what can be chosen. */
  options?: { value: string | number | boolean; label: string; description?: string; versions?: Versions }[];
  /** `collection`: the optional parameters inside. */
  fields?: Parameter[];
  /** `groups`: named groups of parameters; stored as `{ [group]: {…} }`, or `{ [group]: [{…}] }` with `multiple`. */
  groups?: { name: string; label: string; fields: Parameter[] }[];
  /** `groups`: repeatable. `string`, `number` …: a list of them. */
  multiple?: boolean;
  /** Always literal: `=` has no meaning here (the mode of a node, code). */
  literal?: boolean;
  /** `string`: lines in the form. */
  rows?: number;
  minimum?: number;
  maximum?: number;
  /** `code`: the language of the editor. */
  language?: 'javascript' | 'json' | 'html' | 'text';
}

/**
 * `collection` = optional fields ("Add option"); `groups` = a fixed collection; `conditions` = the table of IF, Filter
 * and Switch; `assignments` = the table of Set; `workflow` = a choice `{ __rl, mode, value }` among workflows;
 * `notice` = text in the form, never stored.
 */
export type ParameterType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'options'
  | 'multiOptions'
  | 'json'
  | 'code'
  | 'dateTime'
  | 'collection'
  | 'groups'
  | 'conditions'
  | 'assignments'
  | 'workflow'
  | 'notice'
  | 'hidden';
