/** A workflow that other workflows call, as a tool: its declared fields are the arguments. */
import { type CallableTool, textResult, toolName } from '#core/mcp';
import { type JsonObject, nodeSettings, type Workflow } from '#core/workflow-format';
import { calledTrigger, type DeclaredField, declaredFields, runCalled } from '../engine/sub-workflow.ts';
import { executeWorkflowTrigger } from '../nodes/triggers/execute-workflow-trigger.ts';
import type { WebhookServices } from '../services.ts';

/** Undefined: other workflows cannot call it. */
export function calledWorkflowTool(
  workflow: Workflow,
  { engine }: WebhookServices,
): CallableTool | undefined {
  const trigger = calledTrigger(workflow);
  if (!trigger) return undefined;
  return {
    name: toolName('workflow', workflow.name),
    description: `Runs the published workflow "${workflow.name}" and returns the items of its last node as JSON.`,
    schema: fieldsSchema(declaredFields(nodeSettings(executeWorkflowTrigger, trigger))),
    async call(args, { signal }) {
      engine.executions.requireCapacity();
      const called = { workflow: structuredClone(workflow), trigger, items: [{ json: args }], depth: 0 };
      const output = await runCalled(called, engine.executions, signal);
      return textResult(JSON.stringify((output[0] ?? []).map(({ json }) => json)));
    },
  };
}

const JSON_TYPES = new Set(['string', 'number', 'boolean', 'array', 'object']);

function fieldsSchema(fields: DeclaredField[]): JsonObject {
  const properties = fields.map(({ name, type }) => [name, JSON_TYPES.has(type) ? { type } : {}]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}
