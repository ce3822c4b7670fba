/** Contents of the home of each released version. Only additions are allowed: older homes are never written again. */
import { webhookNode } from '../support/webhooks/webhook-server.ts';
import { codeNode, sentWorkflow, workflowOf } from '../support/webhooks/workflow-builder.ts';

export const MODEL = 'hf.co/upgrade/tiny:Q4_1';
export const PROMPT_TEXT = 'a kept cat';
export const IMAGE_NAME = 'kept_00001_.png';
export const SETTING = { 'upgrade.kept': 'yes' };
export const KEY_LABEL = 'kept';
/** The value of the header that calls need. It is stored as a credential. */
export const TOKEN = 'a kept token';

const COUNT = `
const kept = $getWorkflowStaticData('global');
kept.calls = (kept.calls ?? 0) + 1;
return [{ json: { calls: kept.calls } }];`;

/** A workflow with a credential and static data: it answers how often it was called. */
export function countingWorkflow(credential: string) {
  const workflow = workflowOf(
    {
      In: {
        ...webhookNode('count', { authentication: 'headerAuth' }),
        credentials: { httpHeaderAuth: { id: credential, name: 'Token' } },
      },
      Count: codeNode(COUNT),
    },
    ['In -> Count'],
    { name: 'Counting' },
  );
  return sentWorkflow(workflow);
}
