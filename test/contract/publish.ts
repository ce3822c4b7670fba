/** Publishes the workflows that a table's rows call, through the control API of the server under test. */
import { isObject } from '#core/base';
import type { State, Transport } from './exchange.ts';
import type { ContractTable } from './row.ts';

const STATE: State = 'ready';

export async function publishAll(
  transport: Transport,
  workflows: NonNullable<ContractTable['workflows']>,
  credentials: NonNullable<ContractTable['credentials']>,
): Promise<void> {
  const ids = new Map<string, unknown>();
  for (const credential of credentials) {
    ids.set(credential.name, (await transport.manage(STATE, 'POST', '/credentials', credential)).id);
  }
  for (const workflow of workflows) {
    const { id } = await transport.manage(STATE, 'POST', '/workflows', withIds(workflow, ids));
    await transport.manage(STATE, 'POST', `/workflows/${id}/activate`);
  }
}

/** Nodes name their credentials. The server gave them ids. */
function withIds(value: unknown, ids: Map<string, unknown>, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withIds(item, ids));
  if (!isObject(value)) return value;
  if (key === 'credentials') {
    return Object.fromEntries(
      Object.entries(value).map(([type, name]) => [type, { id: ids.get(String(name)), name }]),
    );
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withIds(item, ids, name)]));
}
