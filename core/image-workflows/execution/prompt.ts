import type { PromptGraph, PromptNodeId } from '../graph/graph.ts';
import type { PythonObject } from '../python/python-value.ts';

/** A prompt that the server accepted. */
export interface Prompt {
  id: string;
  /** The prompt's position in the queue: the lowest number runs first. */
  number: number;
  /** The number as it was counted or sent: `3`, `-2.5`. */
  numberJson: string;
  graph: PromptGraph;
  /** The graph as it runs, with converted literals. */
  graphJson: string;
  extraData: PythonObject;
  /** The client whose sockets receive its events. Undefined: none. */
  clientId: string | undefined;
  /** The output nodes that run. */
  outputs: PromptNodeId[];
  /** Milliseconds since 1970. */
  createdAt: number;
  /** Counts accepted prompts, over restarts too: the key of its record. */
  sequence: number;
  /** How many servers began to run it. */
  attempts: number;
  /** In a cluster: the other process that began to run it last. */
  process?: string;
  /** The trace of the request that submitted it, as `Tracing.current` names it. */
  traceparent?: string;
}
