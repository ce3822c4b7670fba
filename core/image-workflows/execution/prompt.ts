import type { Graph, NodeId } from '../graph/graph.ts';
import type { PythonObject } from '../python/python-value.ts';

/** A prompt that was accepted. */
export interface Prompt {
  id: string;
  /** Lowest first. */
  number: number;
  /** As it was counted or given: `3`, `-2.5`. */
  numberJson: string;
  graph: Graph;
  /** The graph as it runs, with converted values. */
  graphJson: string;
  extraData: PythonObject;
  /** Whose sockets hear of it. */
  clientId: string | undefined;
  /** Output nodes that run. */
  outputs: NodeId[];
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Order of arrival, over restarts: its key on record. */
  sequence: number;
  /** How often a server began it. */
  attempts: number;
}
