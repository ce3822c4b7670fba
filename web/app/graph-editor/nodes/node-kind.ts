/** Kinds of nodes. The editor knows no server: image nodes and workflow nodes are described in the same way. */
import type { Graph, GraphNode, NodeNamer } from '../graph/graph.ts';
import type { JsonValue } from '../graph/value.ts';

/** The control for the value of an input. */
export type Widget =
  | {
      kind: 'integer';
      initial: number | bigint;
      min?: number | bigint | undefined;
      max?: number | bigint | undefined;
      step: number;
      /** Whether the value can change after every run, as seeds do. */
      changesAfterRun?: boolean;
    }
  | {
      kind: 'number';
      initial: number;
      min?: number | undefined;
      max?: number | undefined;
      step: number;
    }
  | {
      kind: 'text';
      initial: string;
      multiline: boolean;
      hint?: string | undefined;
      /** Whether a run picks one alternative of each `{a|b}` in the text. */
      hasAlternatives?: boolean;
    }
  | { kind: 'switch'; initial: boolean; on?: string | undefined; off?: string | undefined }
  | {
      kind: 'choice';
      initial: string;
      options: readonly string[];
      /** The media type of files that can be added to the choices: `image/*`. */
      upload?: string;
    };

export interface InputKind {
  name: string;
  label: string;
  /** Type of the outputs that can be connected. Undefined: the input has a widget only. */
  socket: string | undefined;
  widget?: Widget;
  required: boolean;
  help?: string | undefined;
  /** Whether the input accepts more than one link. */
  acceptsMany?: boolean;
}

export interface OutputKind {
  label: string;
  socket: string;
  help?: string | undefined;
}

export interface NodeKind {
  type: string;
  title: string;
  /** Path of the category: `['image', 'upscaling']`. */
  category: readonly string[];
  help?: string;
  inputs: readonly InputKind[];
  outputs: readonly OutputKind[];
  /** Whether the node is an output of the graph, such as one that saves files. */
  isResult?: boolean;
  /** Width in pixels. Without it the fields determine the width. */
  width?: number;
  /** Whether the node is a comment that does not run. */
  isNote?: boolean;
  /** Whether the dialog for new nodes leaves it out. */
  hidden?: boolean;
}

export interface NodeKinds {
  get(type: string): NodeKind | undefined;
  /** The kind of one node, if nodes of a type differ. It may follow from the node's values, and from its links. */
  forNode?(node: GraphNode, graph?: Graph): NodeKind | undefined;
  /** A short text that the node shows below its fields. */
  summaryOf?(node: GraphNode): string;
  all(): readonly NodeKind[];
  /** Whether an output of one socket type may be connected to an input of another. */
  canConnect(output: string, input: string): boolean;
  /** Returns the function that gives new nodes their ids. Without it they are numbered. */
  namer?(graph: Graph): NodeNamer;
  /** Whether links may form cycles. */
  readonly allowsCycles?: boolean;
  /** The supported modes. Default: both. */
  readonly modes?: readonly ('muted' | 'bypassed')[];
}

export const noKinds: NodeKinds = { get: () => undefined, all: () => [], canConnect: () => false };

export function initialValue(widget: Widget): JsonValue {
  return widget.initial;
}
