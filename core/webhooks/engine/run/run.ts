import type { WorkflowGraph } from '#core/workflow-format';
import type { RunOptions, RunServices } from './run-services.ts';

/** One run of a workflow, as its parts pass it on. */
export interface Run {
  options: RunOptions;
  services: RunServices;
  graph: WorkflowGraph;
}
