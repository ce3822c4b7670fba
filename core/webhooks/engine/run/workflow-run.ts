import type { WorkflowGraph } from '#core/workflow-format';
import type { WorkflowRunOptions, WorkflowRunServices } from './run-services.ts';

/** One run of a workflow, as the functions of this folder pass it on. */
export interface WorkflowRun {
  options: WorkflowRunOptions;
  services: WorkflowRunServices;
  graph: WorkflowGraph;
}
