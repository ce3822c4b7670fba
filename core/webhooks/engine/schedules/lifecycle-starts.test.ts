import { expect, it } from 'vitest';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { LifecycleStarts } from './lifecycle-starts.ts';

it('starts a workflow by the events that its trigger names', () => {
  const started: unknown[] = [];
  const starts = new LifecycleStarts({
    executions: {
      start: async ({ node, output }) => {
        started.push([node, output?.[0]?.[0]?.json.event]);
        return {} as never;
      },
    },
    clock: { now: () => 0 } as never,
    log: {} as never,
  });
  const workflow = workflowOf(
    {
      All: { type: 'n8nTrigger', parameters: { events: ['activate', 'update', 'init'] } },
      Old: { type: 'workflowTrigger', parameters: { events: ['update'] } },
      Off: { type: 'n8nTrigger', disabled: true, parameters: { events: ['activate'] } },
      Hook: { type: 'webhook' },
    },
    [],
  );
  starts.published(workflow, true);
  starts.published(workflow, false);
  starts.unpublished(workflow.id);
  starts.published(workflow, false);
  expect(started).toEqual([
    ['All', 'n8n instance started'],
    ['All', 'Workflow updated'],
    ['Old', 'Workflow updated'],
    ['All', 'Workflow activated'],
  ]);
});
