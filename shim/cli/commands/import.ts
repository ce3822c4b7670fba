import { basename, resolve } from 'node:path';
import { withoutPartNumber } from '#core/base';
import { partPaths } from '../part-paths.ts';
import type { Progress } from '../progress.ts';
import { hashFile, sendBlob } from './blob-upload.ts';
import type { Command, CommandCall } from './command.ts';
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
  writeResult(call, '', { imported: name ?? fileStem(path) });
};

async function* sendAndCreate(
  { client }: CommandCall,
  path: string,
  name: string | undefined,
): AsyncGenerator<Progress> {
  const files: Record<string, string> = {};
  for (const part of await partPaths(path)) {
    const file = basename(part);
    yield { status: `reading ${file}` };
    const blob = await hashFile(part, client.signal, () => {});
    yield { status: `sending ${file}` };
    await sendBlob(client, blob, () => {});
    files[file] = blob.digest;
  }
  yield* client.stream<Progress>('/api/create', { model: name ?? fileStem(path), files });
}

/** The name of a GGUF file, or of the one that it is a part of, without its ending. */
const fileStem = (path: string) => withoutPartNumber(basename(path)).replace(/\.gguf$/i, '');
