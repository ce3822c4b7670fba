import { describe, expect, it } from 'vitest';
import type { Workflow } from '#core/workflow-format';
import { smallWorkflow } from '#test/support/webhooks/control.ts';
import { exportedWorkflow, importedWorkflow, readWorkflowBody, workflowJson } from './workflow-json.ts';

const body = (more: object = {}) => ({ ...smallWorkflow(), ...more }) as Record<string, unknown>;
const refusal = (message: string) => expect.objectContaining({ status: 400, message });

describe('readWorkflowBody', () => {
  it('creates an inactive first version with an id', () => {
    const workflow = readWorkflowBody(body());
    expect(workflow).toMatchObject({ name: 'Orders', active: false, versionCounter: 1, staticData: {} });
    expect(workflow.id).toMatch(/^[A-Za-z0-9]{16}$/);
    expect(workflow.versionId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('keeps identity, state, tags and static data of the former workflow', () => {
    const former: Workflow = {
      ...readWorkflowBody(body()),
      active: true,
      tags: [{ name: 't' }] as never,
      createdAt: '2026-01-01T00:00:00.000Z',
      staticData: { global: { n: 1 } },
    };
    const next = readWorkflowBody(body({ name: 'Renamed' }), former);
    const { id, active, tags, createdAt, staticData } = former;
    expect(next).toMatchObject({ id, active, tags, createdAt, staticData, name: 'Renamed' });
    expect(readWorkflowBody(body({ staticData: { global: { n: 2 } } }), former).staticData).toEqual({
      global: { n: 2 },
    });
  });

  it('makes a new version only for other nodes or connections', () => {
    const former = readWorkflowBody(body());
    const { nodes } = former;
    const settings = { timezone: 'UTC' };
    const renamed = readWorkflowBody(body({ name: 'Renamed', settings, nodes }), former);
    expect([renamed.versionId, renamed.versionCounter]).toEqual([former.versionId, 1]);
    const changed = readWorkflowBody(body({ connections: {}, nodes }), former);
    expect([changed.versionId === former.versionId, changed.versionCounter]).toEqual([false, 2]);
    const { versionId: _id, versionCounter: _counter, ...old } = former;
    expect(readWorkflowBody(body({ nodes }), old as Workflow).versionCounter).toBe(2);
  });

  it('gives Webhook nodes an id that later versions keep', () => {
    const [webhook, other] = readWorkflowBody(body()).nodes;
    expect(webhook!.webhookId).toMatch(/^[0-9a-f-]{36}$/);
    expect(other!.webhookId).toBeUndefined();
    const former = readWorkflowBody(body());
    expect(readWorkflowBody(body(), former).nodes[0]!.webhookId).toBe(former.nodes[0]!.webhookId);
    const [node, ...rest] = smallWorkflow().nodes;
    const own = body({ nodes: [{ ...node, webhookId: 'own' }, ...rest] });
    expect(readWorkflowBody(own, former).nodes[0]!.webhookId).toBe('own');
  });

  it.each([
    [{ connections: undefined }, "request/body must have required property 'connections'"],
    [{ connections: [] }, 'request/body/connections must be object'],
    [{ settings: 'x' }, 'request/body/settings must be object'],
    [{ name: '  ' }, 'request/body/name must be a string that is not empty'],
    [{ name: 3 }, 'request/body/name must be a string that is not empty'],
    [{ versionId: 'v' }, 'request/body/versionId is read-only'],
    [{ isArchived: false }, 'request/body/isArchived is read-only'],
    [{ odd: 1 }, 'request/body must NOT have additional properties: odd'],
  ])('rejects %j', (more, message) => {
    expect(() => readWorkflowBody(body(more))).toThrow(refusal(message));
  });
});

it('an imported workflow is inactive, has a new id, and drops fields of the other server', () => {
  const file = body({ id: 'theirs', active: true, tags: [{ name: 't' }], versionId: 'v', custom: 1 });
  const workflow = importedWorkflow(file);
  expect(workflow).toMatchObject({ name: 'Orders', active: false, versionCounter: 1, custom: 1 });
  expect(workflow.id).toMatch(/^[A-Za-z0-9]{16}$/);
  expect([workflow.versionId === 'v', workflow.tags]).toEqual([false, undefined]);
});

it('an exported workflow has only the fields that other servers import', () => {
  const workflow = { ...readWorkflowBody(body()), custom: 1 };
  expect(Object.keys(exportedWorkflow(workflow)).sort()).toEqual(
    'connections id meta name nodes pinData settings tags versionId'.split(' '),
  );
  expect(exportedWorkflow(workflow)).toMatchObject({ meta: null, tags: [] });
});

describe('workflowJson', () => {
  it('shows an unpublished workflow', () => {
    expect(workflowJson(readWorkflowBody(body()), undefined)).toMatchObject({
      active: false,
      activeVersionId: null,
      activeVersion: null,
      triggerCount: 0,
      staticData: null,
      pinData: null,
      meta: null,
      tags: [],
      nodeGroups: [],
      description: null,
    });
  });

  it('shows the published version with its enabled Webhook nodes', () => {
    const workflow = readWorkflowBody(body({ staticData: { global: { n: 1 } }, description: 'd' }));
    const [webhook, ...rest] = workflow.nodes;
    const disabled = { ...webhook!, name: 'Off', disabled: true };
    const live = { ...workflow, versionId: 'old', nodes: [webhook!, disabled, ...rest] };
    expect(workflowJson(workflow, live)).toMatchObject({
      active: true,
      versionId: workflow.versionId,
      activeVersionId: 'old',
      activeVersion: { versionId: 'old', workflowId: workflow.id, nodes: live.nodes },
      triggerCount: 1,
      staticData: { global: { n: 1 } },
      description: 'd',
    });
  });
});
