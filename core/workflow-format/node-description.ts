/** Describes node types as data: their ports, their parameters and the credentials that they use. */
import type { WorkflowNode } from './workflow.ts';

/** A node type without its execution. The editor builds forms from it; the engine reads defaults from it. */
export interface NodeDescription {
  /** `n8n-nodes-base.if` */
  name: string;
  label: string;
  /** One sentence for the list of nodes. */
  description: string;
  group: 'trigger' | 'flow' | 'data' | 'network' | 'model';
  /** Supported versions, ascending. New nodes get the last one. */
  versions: number[];
  /** Number of inputs, 0 for a trigger. */
  inputs: number | ((node: NodeSettings) => number);
  /** Labels of the outputs: `['true', 'false']`. The error output is not among them. */
  outputs: string[] | ((node: NodeSettings) => string[]);
  parameters: Parameter[];
  credentials?: CredentialUse[];
  /** Reasons, besides missing parameters, not to publish the node: one sentence each. */
  issues?(settings: NodeSettings): string[];
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
  show?: ShowConditions;
  versions?: VersionRange;
}

/** All conditions hold: the named parameter has one of these values. `/name`: from the top, not from beside. */
export type ShowConditions = Record<string, unknown[]>;
/** Inclusive. */
export interface VersionRange {
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
  versions?: VersionRange;
  show?: ShowConditions;
  hide?: ShowConditions;
  /** `options`, `multiOptions`: what can be chosen. */
  options?: {
    value: string | number | boolean;
    label: string;
    description?: string;
    versions?: VersionRange;
  }[];
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
