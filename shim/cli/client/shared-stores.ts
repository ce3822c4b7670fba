import { resolve } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';
import { newProcessName } from '../../cluster/process-name.ts';
import { openStoresOf } from '../../storage/shared/open-shared-stores.ts';
import { openInFreeHome } from '../cluster/free-home.ts';
import { type FindServerOptions, localConnection, type ServerAccess } from './connection.ts';

/**
 * Opens the stores of a cluster in this process, as their owner. Running workers learn of its changes. Needs the variables
 * of the stores, but no door, no worker and no Redis.
 * @throws UsageError, RecordsUnavailable
 */
export async function openSharedServer(options: FindServerOptions): Promise<ServerAccess> {
  if (options.workflows?.server !== undefined)
    throw new UsageError('--server and --cluster exclude each other');
  const name = newProcessName('command');
  const core = await openInFreeHome(resolve(options.home), {
    ...options,
    openStores: (home, env, schema) => openStoresOf(name, home, env, schema),
  });
  return { ...localConnection(core), close: () => core.close() };
}
