/** Describes node types as data: their ports, their parameters and the credentials that they use. */
import type { SubNodeInput, SubNodeKind } from './sub-nodes.ts';
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
  /** The sub-nodes that the node uses. */
  subNodes?: SubNodeInput[] | ((node: NodeSettings) => SubNodeInput[]);
  /** Set on a sub-node: the kind of its connection to the node that uses it. Undefined: the node passes items on. */
  supplies?: SubNodeKind | ((node: NodeSettings) => SubNodeKind | undefined);
  parameters: Parameter[];
  credentials?: CredentialUse[];
  /** Set if the node connects to servers that do not speak HTTP, which some platforms cannot. */
  needsClients?: boolean;
  /** Set if the node runs commands of the computer, which a setting allows. */
  needsCommands?: boolean;
  /** Whether the node runs Python, which some platforms do not have. */
  usesPython?(settings: NodeSettings): boolean;
  /** Reasons, besides missing parameters, not to publish the node: one sentence each. */
  issues?(settings: NodeSettings): string[];
}

/** A node's literal parameters, with the defaults of its version. Expressions are not evaluated. */
export interface NodeSettings {
  node: WorkflowNode;
  version: number;
  /** The stored value, otherwise the default. `options.ignoreCase` is a path. */
  get(path: string): unknown;
}

/** A kind of credential that a node uses. */
export interface CredentialUse {
  /** `httpBasicAuth` */
  type: string;
  required?: boolean;
  show?: ShowConditions;
  versions?: NodeVersionRange;
}

/**
 * Allowed values by the name of a parameter. All conditions must hold. `/name` is a parameter of the node itself, a
 * plain name one of the same group.
 */
export type ShowConditions = Record<string, unknown[]>;

/** Versions of a node, both ends included. */
export interface NodeVersionRange {
  from?: number;
  to?: number;
}

/** A parameter of a node, as the editor shows it and the node reads it. */
export interface Parameter {
  name: string;
  label: string;
  type: ParameterType;
  /** The value if the workflow has none. Collections: `{}`. */
  default: unknown;
  /** Must not be empty when the workflow is published. */
  required?: boolean;
  description?: string;
  placeholder?: string;
  /** Several parameters may share a name: the first whose `versions` and `show` match counts. */
  versions?: NodeVersionRange;
  show?: ShowConditions;
  hide?: ShowConditions;
  /** The choices of `options` and `multiOptions`. */
  options?: {
    value: string | number | boolean;
    label: string;
    description?: string;
    versions?: NodeVersionRange;
  }[];
  /** The optional parameters of a `collection`. */
  fields?: Parameter[];
  /** The groups of `groups`, stored as `{ [group]: {…} }`, or as `{ [group]: [{…}] }` with `multiple`. */
  groups?: { name: string; label: string; fields: Parameter[] }[];
  /** A list: of groups, or of values of the type. */
  multiple?: boolean;
  /** The value is never an expression, for example a node's mode, or code. */
  literal?: boolean;
  /** Lines of a `string` in the form. */
  rows?: number;
  minimum?: number;
  maximum?: number;
  /** The language of `code`. */
  language?: 'javascript' | 'python' | 'json' | 'html' | 'text';
}

/** The type of a parameter, by n8n's names. */
export type ParameterType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'options'
  | 'multiOptions'
  | 'json'
  | 'code'
  | 'dateTime'
  /** Optional fields, under "Add option". */
  | 'collection'
  /** n8n's fixed collection. */
  | 'groups'
  /** The table of If, Filter and Switch. */
  | 'conditions'
  /** The table of Set. */
  | 'assignments'
  /** A choice among workflows: `{ __rl, mode, value }`. */
  | 'workflow'
  /** A resource of a service, by its id, name or address: `{ __rl, mode, value }`. */
  | 'locator'
  /** Text in the form. It is never stored. */
  | 'notice'
  | 'hidden';
