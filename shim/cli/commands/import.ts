import { basename, resolve } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';
import type { Progress } from '../progress.ts';
import { hashFile, sendBlob } from './blob-upload.ts';
import type { Command, CommandCall } from './command.ts';
import { filesAt } from './modelfile-files.ts';
import { showProgress } from './pull.ts';
import { progressOutput, writeResult } from './write-json.ts';

/**
 * `tabd import PATH [NAME]`: a server on this computer reads the file itself; other servers receive an
 * upload.
 */
export const importModel: Command = async (call) => {
  const { args, client, connection } = call;
  const [operand = '', name] = args.operands;
  const path = resolve(operand);
  const steps = connection.importFile
    ? connection.importFile(path, name, client.signal)
    : sendAndCreate(call, path, name);
  await showProgress(steps, progressOutput(call));
  writeResult(call, '', { imported: name ?? basename(path).replace(/\.gguf$/i, '') });
};

async function* sendAndCreate(
  { client }: CommandCall,
  path: string,
  name: string | undefined,
): AsyncGenerator<Progress> {
  const [file] = (await filesAt(path, '.').catch(() => undefined)) ?? [];
  if (file?.path !== path) throw new UsageError(`${path} is not a file`);
  yield { status: `reading ${file.name}` };
  const blob = await hashFile(path, client.signal, () => {});
  yield { status: `sending ${file.name}` };
  await sendBlob(client, blob, () => {});
  const model = name ?? basename(path).replace(/\.gguf$/i, '');
  yield* client.stream<Progress>('/api/create', { model, files: { [file.name]: blob.digest } });
}
