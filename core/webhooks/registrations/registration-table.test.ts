import { describe, expect, it } from 'vitest';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { displayPath, webhookRegistrations } from './registration.ts';
import { RegistrationTable } from './registration-table.ts';

type Nodes = Parameters<typeof workflowOf>[0];

/** A workflow with one node for each address, in the form `GET,POST orders/:id`. */
function workflow(id: string, ...addresses: string[]) {
  const nodes: Nodes = {};
  for (const address of addresses) {
    const [methods, path] = [address.slice(0, address.indexOf(' ')), address.slice(address.indexOf(' ') + 1)];
    const list = methods.split(',');
    const several = list.length > 1;
    nodes[`${address}`] = {
      ...webhookNode(path, { multipleMethods: several, httpMethod: several ? list : list[0] }),
      webhookId: `id-${id}`,
    };
  }
  return workflowOf(nodes, [], { id, name: `Workflow ${id}` });
}

function tableOf(...workflows: ReturnType<typeof workflow>[]): RegistrationTable {
  const table = new RegistrationTable();
  for (const item of workflows) table.set(item.id, webhookRegistrations(item));
  return table;
}

describe('a path', () => {
  const table = tableOf(
    workflow('a', 'GET orders', 'POST orders', 'GET orders/:id', 'GET orders/mine', 'GET :kind/mine'),
    workflow('b', 'GET,POST both', 'GET  /slashed/with space/ ', 'GET a/:x/b/:y', 'GET a/:x/b/last'),
    workflow('c', 'GET :only'),
  );
  it.each([
    ['GET', 'orders', 'GET orders', {}],
    ['POST', 'orders', 'POST orders', {}],
    ['GET', 'orders/7', 'GET orders/:id', { id: '7' }],
    ['GET', 'orders/mine', 'GET orders/mine', {}],
    ['GET', 'offers/mine', 'GET :kind/mine', { kind: 'offers' }],
    // A path that begins with a node's webhook id belongs to that node.
    ['GET', 'id-a/orders/mine', 'GET orders/:id', { id: 'mine' }],
    ['GET', 'id-a/x/mine', 'GET :kind/mine', { kind: 'x' }],
    ['POST', 'both', 'GET,POST both', {}],
    ['GET', 'slashed/with space', 'GET  /slashed/with space/ ', {}],
    ['GET', 'a/1/b/2', 'GET a/:x/b/:y', { x: '1', y: '2' }],
    // More fixed parts win over fewer.
    ['GET', 'a/1/b/last', 'GET a/:x/b/last', { x: '1' }],
    ['GET', 'constructor', 'GET :only', { only: 'constructor' }],
  ])('%s %s matches %s', (method, path, name, params) => {
    const found = table.match(method, path);
    expect([found?.registration.node.name, found?.params]).toEqual([name, params]);
  });

  it.each([
    ['PUT', 'orders', ['GET', 'POST']],
    ['HEAD', 'orders/mine', ['GET']],
    ['GET', 'b/1/a/2', []],
    ['GET', 'orders/7/8', []],
    ['GET', 'orders/', []],
    ['GET', 'ORDERS/7', []],
    ['GET', 'a/1/b/', []],
    ['GET', '', []],
  ])('%s %s matches nothing; the path has %j', (method, path, methods) => {
    expect(table.match(method, path)).toBeUndefined();
    expect(table.methods(path)).toEqual(methods);
  });

  it('follows the changes of its workflow, and is free when that is deleted', () => {
    const changing = tableOf(workflow('a', 'GET one', 'GET p/:id'), workflow('b', 'GET two'));
    changing.set('a', webhookRegistrations(workflow('a', 'GET three', 'GET p/:id/x')));
    expect(['one', 'p/1', 'three', 'p/1/x', 'two'].map((path) => !!changing.match('GET', path))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect([changing.delete('a'), changing.delete('a')]).toEqual([true, false]);
    expect(['three', 'p/1/x', 'two'].map((path) => !!changing.match('GET', path))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe('conflicts', () => {
  const clash = (mine: string[], ...others: string[]) =>
    tableOf(workflow('other', ...others))
      .conflicts('mine', webhookRegistrations(workflow('mine', ...mine)))
      .map(({ requested, existing, method }) => `${method} ${requested.path} ${existing.workflow.name}`);

  it.each([
    [['GET x'], ['GET x'], ['GET x Workflow other']],
    [['GET /x/'], ['GET,POST x'], ['GET x/ Workflow other']],
    [['PUT,GET x'], ['GET,PUT x'], ['PUT x Workflow other']],
    [['GET o/:id'], ['GET o/:name'], ['GET o/:id Workflow other']],
    [['GET x', 'GET x '], [], ['GET x Workflow mine']],
    [['GET x'], ['POST x'], []],
    [['GET o/:id'], ['GET o/mine'], []],
    [['GET o/:id'], ['GET :o/id'], []],
    [['GET o/:id'], ['GET o/:id/more'], []],
  ])('%j next to %j: %j', (mine, others, expected) => {
    expect(clash(mine, ...others)).toEqual(expected);
  });

  it('exclude other versions of the same workflow', () => {
    expect(
      tableOf(workflow('a', 'GET x')).conflicts('a', webhookRegistrations(workflow('a', 'GET x'))),
    ).toEqual([]);
  });
});

it('nodes without a path get a random one; disabled nodes have none', () => {
  const empty = (more: object) => ({ ...webhookNode(' '), ...more });
  const entries = webhookRegistrations(
    workflowOf(
      { A: empty({ webhookId: 'w-id' }), B: empty({ id: 'n-id' }), C: empty({ disabled: true }) },
      [],
    ),
  );
  expect(entries.map(displayPath)).toEqual(['w-id', 'n-id']);
  const [registration] = webhookRegistrations(workflowOf({ A: empty({}) }, []));
  expect(registration!.path).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
