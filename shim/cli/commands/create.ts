import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { planModelfile } from '#core/local-models';
import { UsageError } from '../../base/usage-error.ts';
import { type Progress, ProgressView } from '../progress.ts';
import { type BlobFile, hashFile, sendBlob } from './blob-upload.ts';
import type { Command, CommandIo } from './command.ts';
import { filesAt, type NamedFile } from './modelfile-files.ts';
import { progressOutput, writeResult } from './write-json.ts';

/** `tabd create MODEL -f FILE`: uploads the files that the Modelfile names, then creates the model. */
export const create: Command = async (call) => {
  const { args, io, client } = call;
  const { text, folder } = await readModelfile(args.options.file as string | undefined, io);
  const plan = planModelfile(text);
  for (const warning of plan.warnings) io.err.write(`tabd: warning: ${warning}\n`);

  const view = new ProgressView(progressOutput(call));
  try {
    let from: string | undefined;
    const files: NamedFile[] = [];
    for (const source of plan.from) {
      const found = await filesAt(source, folder);
      if (found) files.push(...found);
      else from = source;
    }
    const request = {
      model: args.operands[0],
      from,
      ...(args.options.quantize && { quantize: args.options.quantize }),
      ...plan.fields,
      ...(await uploaded('files', files)),
      ...(await uploaded('adapters', await pathsOnly(plan.adapters, folder))),
      ...(await uploaded('draft_files', await pathsOnly(plan.drafts, folder))),
    };
    for await (const step of client.stream<Progress>('/api/create', request)) view.show(step);
  } finally {
    view.end();
  }
  writeResult(call, '', { created: args.operands[0] });

  /** Uploads files and returns their digests by name, as a field of the create request. */
  async function uploaded(field: string, files: NamedFile[]): Promise<Record<string, unknown>> {
    if (files.length === 0) return {};
    const digests: Record<string, string> = {};
    for (const { name, path } of files) {
      if (name in digests) throw new UsageError(`two files are called ${name}: rename one of them`);
      const blob: BlobFile = await hashFile(path, client.signal, (step) => view.show(step));
      await sendBlob(client, blob, (step) => view.show(step));
      digests[name] = blob.digest;
    }
    return { [field]: digests };
  }
};

async function pathsOnly(paths: string[], folder: string): Promise<NamedFile[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const files = await filesAt(path, folder);
      if (!files) throw new UsageError(`${resolve(folder, path)} is not a file`);
      return files;
    }),
  );
  return found.flat();
}

async function readModelfile(
  file: string | undefined,
  io: Pick<CommandIo, 'input'>,
): Promise<{ text: string; folder: string }> {
  if (file === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of io.input) chunks.push(chunk as Uint8Array);
    return { text: decode(Buffer.concat(chunks)), folder: process.cwd() };
  }
  const path = resolve(file ?? 'Modelfile');
  try {
    return { text: decode(await readFile(path)), folder: dirname(path) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new UsageError(`${path} cannot be read: ${message}`);
    throw new UsageError(`there is no Modelfile at ${path}: name one with -f`);
  }
}

/** UTF-8, or UTF-16 if a byte order mark says so. Some editors write it. */
function decode(bytes: Buffer): string {
  const [a, b] = bytes;
  const utf16 = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
  return new TextDecoder(utf16 ?? 'utf-8').decode(bytes);
}
