/** The seam between running nodes and the evaluation of what is stored in their parameters. */

import type { ExecutionMode, InputSource, Item, RunData, WorkflowNode } from '#core/workflow-format';
import type { ExtraVariables } from '../node-api/extra-variables.ts';

export interface Expressions {
  /**
   * A stored value for one item: strings that begin with `=` are evaluated, wherever they are in it; the rest comes
   * back as it is. Throws `ExpressionError`, or the signal's reason.
   */
  evaluate(value: unknown, scope: ExpressionScope, itemIndex: number): Promise<unknown>;
}

/** What expressions of one run of one node can see. */
export interface ExpressionScope {
  node: WorkflowNode;
  /** Literal parameters with defaults. */
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
  /** What nodes keep for themselves: `$('Loop').context`. */
  memory: Record<string, Record<string, unknown>>;
  /** Whether the workflow has a node of this name, and its literal parameters with defaults. */
  parametersOf(node: string): Record<string, unknown> | undefined;
  /** What only this node's expressions know: `$response`, `$pageCount` … */
  extra?: ExtraVariables;
  /** `$vars` */
  variables: Record<string, unknown>;
  timezone: string;
  /** Milliseconds since 1970. */
  now(): number;
  signal: AbortSignal;
}
