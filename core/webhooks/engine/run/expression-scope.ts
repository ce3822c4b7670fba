import {
  type ExecutionMode,
  filledParameters,
  type InputSource,
  type Item,
  type RunData,
  type Workflow,
  type WorkflowNode,
  workflowTimezone,
} from '#core/workflow-format';
import type { ExpressionScope } from '../../expressions/expressions.ts';
import type { WorkflowRunServices } from './run-services.ts';

/** The data of one run of one node, or of one call, that its expressions see. */
interface ScopeSource {
  workflow: Pick<Workflow, 'id' | 'name' | 'active' | 'settings'>;
  node: WorkflowNode;
  /** Finds a node of the workflow by its name. */
  findNode(name: string): WorkflowNode | undefined;
  /** Undefined while the call has no execution yet. */
  executionId: string | undefined;
  mode: ExecutionMode;
  /** Whether the editor started the execution. */
  test: boolean;
  inputs: (Item[] | null)[];
  sources?: (InputSource | null)[];
  runIndex?: number;
  runData?: RunData;
  memory?: Record<string, Record<string, unknown>>;
  customData?: Record<string, string>;
  signal: AbortSignal;
}

/** Builds what expressions see. Values that cost time, such as signed addresses, are computed when they are read. */
export function expressionScope(
  source: ScopeSource,
  services: Pick<WorkflowRunServices, 'nodeType' | 'resumeUrl' | 'timezone' | 'host'>,
): ExpressionScope {
  const { workflow, node, executionId } = source;
  const filled = new Map<string, Record<string, unknown> | undefined>();
  const parametersOf = (name: string) => {
    if (!filled.has(name)) {
      const named = source.findNode(name);
      filled.set(name, named && filledParameters(services.nodeType(named.type), named));
    }
    return filled.get(name);
  };
  return {
    node,
    get parameters() {
      return parametersOf(node.name) ?? {};
    },
    workflow: { active: workflow.active, id: workflow.id, name: workflow.name },
    execution: {
      id: executionId ?? '',
      mode: source.test ? 'test' : 'production',
      get resumeUrl() {
        return executionId === undefined ? '' : services.resumeUrl(executionId);
      },
      get resumeFormUrl() {
        return executionId === undefined ? '' : services.resumeUrl(executionId, 'form');
      },
      customData: source.customData ?? {},
    },
    mode: source.mode,
    inputs: source.inputs,
    sources: source.sources ?? [],
    runIndex: source.runIndex ?? 0,
    runData: source.runData ?? {},
    memory: source.memory ?? {},
    parametersOf,
    variables: {},
    timezone: workflowTimezone(workflow, services.timezone),
    now: () => services.host.clock.now(),
    signal: source.signal,
  };
}
