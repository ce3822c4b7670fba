import type { WorkflowGraph } from '#core/workflow-format';
import type { RunOptions, RunServices } from './run-services.ts';

/** One run of a workflow, as the functions of this folder pass it on. */
export interface WorkflowRun {
  options: RunOptions;
  services: RunServices;
  graph: WorkflowGraph;
}
