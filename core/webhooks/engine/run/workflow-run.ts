import type { WorkflowGraph } from '#core/workflow-format';
import type { WorkflowRunOptions, WorkflowRunServices } from './run-services.ts';

/** The state of one run of a workflow, which the functions of this folder share. */
export interface WorkflowRun {
  options: WorkflowRunOptions;
  services: WorkflowRunServices;
  graph: WorkflowGraph;
}
