import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { recordsSchema } from '#core/host';
import { formatBytes } from '../../base/format.ts';
import { UsageError } from '../../base/usage-error.ts';
import { lockHome } from '../../home/home-lock.ts';
import { openHome } from '../../host/node-host.ts';
import { copyStores } from '../../migrate/copy-stores.ts';
import type { Arguments } from '../arguments.ts';
import type { CommandIo } from './command.ts';

/** Runs `tabd migrate to-cluster` and `tabd migrate to-home`. No process may use the home meanwhile. */
export async function migrate(
  args: Arguments,
  io: Pick<CommandIo, 'out' | 'home' | 'env'>,
  signal: AbortSignal,
): Promise<void> {
  const direction = args.operands[0]!;
  if (direction !== 'to-cluster' && direction !== 'to-home')
    throw new UsageError(`tabd migrate to-cluster, or tabd migrate to-home: not '${direction}'`);
  const folder = resolve(io.home);
  await mkdir(folder, { recursive: true });
  const unlock = lockHome(folder);
  try {
    const { openSharedStores } = await import('../../storage/shared/open-shared-stores.ts');
    // A folder of Ollama's models stays where it is: tabd only reads it.
    const home = await openHome(folder, { ...io.env, OLLAMA_MODELS: undefined }, recordsSchema);
    try {
      const shared = await openSharedStores(folder, io.env, recordsSchema);
      try {
        const [from, to] = direction === 'to-cluster' ? [home, shared] : [shared, home];
        const { records, blobs, files, bytes } = await copyStores(from, to, recordsSchema, signal);
        io.out.write(
          `Copied and checked ${records} records, ${blobs} model files and ${files} other files (${formatBytes(bytes)}).\n` +
            `Credentials are encrypted. ${KEY_HELP[direction]}\n`,
        );
      } finally {
        await shared.close();
      }
    } finally {
      await home.close();
    }
  } finally {
    unlock();
  }
}

const KEY_HELP = {
  'to-cluster':
    'Give all processes of the cluster the key of this home: N8N_ENCRYPTION_KEY as before, or\n' +
    'N8N_ENCRYPTION_KEY="base64:$(cat HOME/encryption-key)".',
  'to-home': 'Start this home with the N8N_ENCRYPTION_KEY of the cluster.',
};
