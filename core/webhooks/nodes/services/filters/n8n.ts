/** Filters of the n8n node. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { parseJsonParameter } from '../../shared/parse-json.ts';

/** The fields of a workflow that a client may write. Others are read-only, and an exported workflow has them. */
const WRITABLE = ['name', 'nodes', 'connections', 'settings', 'staticData'];

/** A workflow as the control API takes it. */
export function n8nWorkflow(value: unknown): JsonObject {
  const workflow = parseJsonParameter(value, 'The workflow object is not valid JSON');
  if (!isObject(workflow)) throw new NodeError('The workflow object must be a JSON object');
  const fields = Object.entries(workflow).filter(([name]) => WRITABLE.includes(name));
  return { settings: {}, ...Object.fromEntries(fields) };
}

/** The id in the address of a workflow, or the value as it is. */
export function n8nWorkflowId(value: unknown): string {
  const text = String(value ?? '');
  return /\/workflow\/([\w-]+)/.exec(text)?.[1] ?? text;
}
