import { backUp } from '../../backup/backup.ts';
import { restoreBackup as putBack } from '../../backup/restore.ts';
import { formatBytes } from '../../base/format.ts';
import type { Arguments } from '../arguments.ts';
import type { CommandIo } from './command.ts';

type Io = Pick<CommandIo, 'out' | 'err' | 'home'>;

/** Runs `tabd backup FILE`. */
export async function backup(args: Arguments, io: Io, signal: AbortSignal): Promise<void> {
  const file = args.operands[0]!;
  const { files, bytes } = await backUp({
    home: io.home,
    file,
    force: args.options.force === true,
    signal,
    notice: (text) => void io.err.write(`tabd: ${text}\n`),
  });
  io.out.write(`${file}: ${files} files, ${formatBytes(bytes)}. It contains keys: keep it safe.\n`);
}

/** Runs `tabd restore FILE`. */
export async function restore(args: Arguments, io: Io, signal: AbortSignal): Promise<void> {
  const file = args.operands[0]!;
  const force = args.options.force === true;
  const { files, manifest } = await putBack({ home: io.home, file, force, signal });
  io.out.write(`${io.home}: ${files} files, as they were on ${manifest.created.slice(0, 16)}Z.\n`);
}
