/** Credentials of a real control API in this process. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openControl, type TestControl } from '#test/support/webhooks/control.ts';
import { WorkflowClient } from '../workflow-client.ts';
import { CredentialState, visibleFields } from './credential-state.ts';

let control: TestControl;
let state: CredentialState;
beforeEach(async () => {
  control = await openControl();
  state = new CredentialState(
    new WorkflowClient((path, init = {}) =>
      control.ask(init.method ?? 'GET', path.replace('/api/v1', ''), {
        ...(init.body != null && { body: String(init.body) }),
        headers: init.headers as Record<string, string>,
        context: { caller: 'page' },
      }),
    ),
  );
});
afterEach(() => control.close());

it('adds, lists and deletes credentials', async () => {
  await state.load();
  expect(state.list).toEqual([]);
  expect(state.types.map(({ name }) => name)).toContain('httpHeaderAuth');
  expect(await state.add('Key', 'httpHeaderAuth', { name: 'x-key', value: 'secret' })).toBe(true);
  expect([state.addedName, state.failure]).toEqual(['Key', undefined]);
  expect(state.list).toMatchObject([{ name: 'Key', type: 'httpHeaderAuth' }]);
  expect(JSON.stringify(state.list)).not.toContain('secret');
  await state.delete(state.list![0]!.id);
  expect([state.list, state.addedName]).toEqual([[], undefined]);
});

it('keeps the list and reports why the server rejected a request', async () => {
  await state.add('Key', 'httpHeaderAuth', { name: 'x-key', value: 'secret' });
  expect(await state.add('Other', 'noSuchType', {})).toBe(false);
  expect(state.failure).toBeTruthy();
  expect([state.list?.length, state.addedName]).toEqual([1, 'Key']);
  await state.delete('no-such-id');
  expect(state.failure).toBeTruthy();
  expect(state.list).toHaveLength(1);
});

it('shows the fields of a JWT that its kind of key needs', async () => {
  await state.load();
  const type = (typeName: string) => state.types.find(({ name }) => name === typeName)!;
  const names = (keyType?: string) =>
    visibleFields(type('jwtAuth'), keyType === undefined ? {} : { keyType }).map(({ name }) => name);
  expect(names()).toContain('secret');
  expect(names()).not.toContain('privateKey');
  expect(names('pemKey')).toEqual(expect.arrayContaining(['privateKey', 'publicKey']));
  expect(names('pemKey')).not.toContain('secret');
  expect(visibleFields(type('httpHeaderAuth'), { keyType: 'pemKey' })).toEqual(type('httpHeaderAuth').fields);
});
