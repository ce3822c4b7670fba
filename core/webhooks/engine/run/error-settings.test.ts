import { expect, it } from 'vitest';
import type { WorkflowNode } from '#core/workflow-format';
import { onErrorOf, triesOf } from './error-settings.ts';

const node = (settings: Partial<WorkflowNode>): WorkflowNode => ({
  id: '',
  name: 'N',
  type: 'n',
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
  ...settings,
});

it.each<[Partial<WorkflowNode>, string]>([
  [{}, 'stopWorkflow'],
  [{ continueOnFail: false }, 'stopWorkflow'],
  [{ continueOnFail: true }, 'continueRegularOutput'],
  [{ continueOnFail: true, onError: 'continueErrorOutput' }, 'continueErrorOutput'],
  [{ onError: 'stopWorkflow' }, 'stopWorkflow'],
])('%j: %s', (settings, expected) => {
  expect(onErrorOf(node(settings))).toBe(expected);
});

it.each<[Partial<WorkflowNode>, tries: number, pause: number]>([
  [{}, 1, 0],
  [{ maxTries: 4, waitBetweenTries: 7 }, 1, 0],
  [{ retryOnFail: true }, 3, 1000],
  [{ retryOnFail: true, maxTries: 0, waitBetweenTries: 0 }, 3, 0],
  [{ retryOnFail: true, maxTries: 1 }, 2, 1000],
  [{ retryOnFail: true, maxTries: 4, waitBetweenTries: 250 }, 4, 250],
  [{ retryOnFail: true, maxTries: 9, waitBetweenTries: 9000 }, 5, 5000],
  [{ retryOnFail: true, waitBetweenTries: -1 }, 3, 0],
])('%j: %i tries, %i ms between them', (settings, tries, pause) => {
  expect(triesOf(node(settings))).toEqual({ tries, pause });
});
