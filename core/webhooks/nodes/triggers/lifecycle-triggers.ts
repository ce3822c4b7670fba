/** Start a workflow when it is published or changed, or when the server starts. */
import type { NodeSettings } from '#core/workflow-format';
import type { NodeType } from '../../node-api/node-type.ts';
import { multiChoice } from '../shared/parameters.ts';

/** An event in the life of a published workflow. */
export type LifecycleEvent = 'activate' | 'update' | 'init';

/** The name of each event in the item. */
export const EVENT_NAMES: Record<LifecycleEvent, string> = {
  activate: 'Workflow activated',
  update: 'Workflow updated',
  init: 'n8n instance started',
};

const noEvents = ({ get }: NodeSettings) =>
  ((get('events') as unknown[] | undefined) ?? []).length > 0 ? [] : ['No event is chosen'];

export const n8nTrigger: NodeType = {
  group: 'trigger',
  versions: [1],
  inputs: 0,
  outputs: ['main'],
  name: 'n8n-nodes-base.n8nTrigger',
  label: 'n8n Trigger',
  description: 'Starts the workflow when it is published or changed, or when the server starts.',
  parameters: [
    multiChoice('events', 'Events', [], {
      literal: true,
      options: {
        update: 'Published Workflow Updated',
        init: 'Instance Started',
        activate: 'Workflow Published',
      },
    }),
  ],
  issues: noEvents,
  execute: async (context) => [[{ json: { event: 'Manual execution', workflow_id: context.workflow.id } }]],
};

export const workflowTrigger: NodeType = {
  ...n8nTrigger,
  name: 'n8n-nodes-base.workflowTrigger',
  label: 'Workflow Trigger',
  description: 'Starts the workflow when it is published or changed. Newer workflows use the n8n Trigger.',
  parameters: [
    multiChoice('events', 'Events', [], {
      literal: true,
      options: { update: 'Published Workflow Updated', activate: 'Workflow Published' },
    }),
  ],
};
