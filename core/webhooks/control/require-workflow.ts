import { ApiError } from '#core/http';
import type { Workflow } from '#core/workflow-format';
import type { WebhookServices } from '../services.ts';

/** @throws ApiError 404 */
export async function requireWorkflow(
  { engine }: Pick<WebhookServices, 'engine'>,
  id: string,
): Promise<Workflow> {
  const workflow = await engine.workflows.get(id);
  if (!workflow) throw new ApiError(404, `The workflow with the ID "${id}" does not exist`);
  return workflow;
}
