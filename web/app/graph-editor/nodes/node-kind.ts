/** What kinds of nodes there are. The editor knows no server: image nodes and webhook nodes are described in the same way. */
import type { Graph, GraphNode, NodeNamer } from '../graph/graph.ts';
import type { JsonValue } from '../graph/value.ts';

/** How a person gives the value of an input. */
export type Widget =
  | {
      kind: 'whole';
      initial: number | bigint;
      min?: number | bigint | undefined;
      max?: number | bigint | undefined;
      step: number;
      /** It may be changed after every run, as seeds are. */
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
      lines: boolean;
      hint?: string | undefined;
      /** Of `{one|other}` in it one is taken for a run. */
      hasChoices?: boolean;
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
  /** What may be connected to it; undefined: nothing, it has a widget only. */
  socket: string | undefined;
  widget?: Widget;
  required: boolean;
  help?: string | undefined;
  /** It takes more than one connection. */
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
  /** Parts of a path: `['image', 'upscaling']`. */
  category: readonly string[];
  help?: string;
  inputs: readonly InputKind[];
  outputs: readonly OutputKind[];
  /** Its result is what the graph is run for. */
  isResult?: boolean;
  /** Pixels; without it as its fields need. */
  width?: number;
  /** For people only: it takes no part in a run. */
  isNote?: boolean;
  /** Not offered for new nodes. */
  hidden?: boolean;
}

export interface NodeKinds {
  get(type: string): NodeKind | undefined;
  /** Of one node, where nodes of a type differ. */
  forNode?(node: GraphNode): NodeKind | undefined;
  /** A few words on one node. */
  summaryOf?(node: GraphNode): string;
  all(): readonly NodeKind[];
  /** Whether what an output gives may go into an input. */
  canConnect(given: string, wanted: string): boolean;
  /** How new nodes of a graph get their ids; without it they are numbered. */
  namer?(graph: Graph): NodeNamer;
  /** Links may go round. */
  readonly allowsCycles?: boolean;
  /** Which modes there are; without it both. */
  readonly modes?: readonly ('muted' | 'bypassed')[];
}

export const noKinds: NodeKinds = { get: () => undefined, all: () => [], canConnect: () => false };

export function initialValue(widget: Widget): JsonValue {
  return widget.initial;
}
