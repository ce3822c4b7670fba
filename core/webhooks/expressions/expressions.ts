/** The interface between running nodes and the evaluation of their parameters. */

import type { ExecutionMode, InputSource, Item, RunData, WorkflowNode } from '#core/workflow-format';
import type { ExtraVariables } from '../node-api/extra-variables.ts';

export interface Expressions {
  /**
   * Evaluates a stored value for one item: the strings in it that begin with `=`, at any depth. Other values stay as
   * they are. Rejects with `ExpressionError`, or with the signal's reason.
   */
  evaluate(value: unknown, scope: ExpressionScope, itemIndex: number): Promise<unknown>;
}

/** The data that expressions can read in one run of a node. */
export interface ExpressionScope {
  node: WorkflowNode;
  /** The literal parameters with their defaults. */
  parameters: Record<string, unknown>;
  workflow: { id: string; name: string; active: boolean };
  /** `$execution` */
  execution: {
    id: string;
    mode: 'test' | 'production';
    resumeUrl: string;
    resumeFormUrl: string;
    customData: Record<string, string>;
  };
  /** `$mode` */
  mode: ExecutionMode;
  inputs: (Item[] | null)[];
  sources: (InputSource | null)[];
  runIndex: number;
  runData: RunData;
  /** The memory of each node in this execution: `$('Loop').context`. */
  memory: Record<string, Record<string, unknown>>;
  /** The literal parameters of a node with their defaults. Undefined when the workflow has no such node. */
  parametersOf(node: string): Record<string, unknown> | undefined;
  /** Variables of this node alone: `$response`, `$pageCount` … */
  extra?: ExtraVariables;
  /** `$vars` */
  variables: Record<string, unknown>;
  timezone: string;
  /** Milliseconds since 1970. */
  now(): number;
  signal: AbortSignal;
}
