import { Readable, Writable } from 'node:stream';
import type { FileInfo } from 'basic-ftp';
import type { ConnectionLimits, FileServerClient, ServerFile, ServerLogin } from '#core/host';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { allowedAddress, tooLarge } from './reach.ts';

/** Types of files by the numbers of the package. */
const TYPES: Record<number, string> = { 1: '-', 2: 'd', 3: 'l' };

export async function connectFtp(settings: ServerLogin, limits: ConnectionLimits): Promise<FileServerClient> {
  const ftp = await loadPackage('basic-ftp', () => import('basic-ftp'));
  const { port, user, password } = settings;
  const host = await allowedAddress(settings, limits);
  // Files travel over further connections. A server must not send them to other computers.
  const client = new ftp.Client(limits.connectTimeout, { allowSeparateTransferHost: false });
  await withinConnectTime(
    limits,
    client.access({ host, port, user: user || 'anonymous', password: password || 'guest' }),
    () => client.close(),
  );
  const connection = new Connection(limits.signal, () => client.close());
  return {
    close: () => connection.close(),
    list: (path) => connection.run(async () => (await client.list(path)).map(serverFile)),
    download: (path) =>
      connection.run(async () => {
        const chunks: Buffer[] = [];
        let size = 0;
        const target = new Writable({
          write(chunk: Buffer, _encoding, done) {
            size += chunk.length;
            if (size > limits.maxBytes) return done(tooLarge(limits.maxBytes));
            chunks.push(chunk);
            done();
          },
        });
        await client.downloadTo(target, path);
        return new Uint8Array(Buffer.concat(chunks));
      }),
    upload: (path, bytes) =>
      connection.run(async () => {
        const start = await client.pwd();
        const slash = path.lastIndexOf('/');
        if (slash > 0) await client.ensureDir(path.slice(0, slash));
        await client.uploadFrom(
          Readable.from([Buffer.from(bytes)]),
          slash < 0 ? path : path.slice(slash + 1),
        );
        await client.cd(start);
      }),
    rename: (from, to) => connection.run(async () => void (await client.rename(from, to))),
    createFolder: (path) =>
      connection.run(async () => {
        const start = await client.pwd();
        await client.ensureDir(path);
        await client.cd(start);
      }),
    deleteFile: (path) => connection.run(async () => void (await client.remove(path))),
    deleteFolder: (path, recursive) =>
      connection.run(async () => {
        if (recursive) await client.removeDir(path);
        else await client.send(`RMD ${path}`);
      }),
  };
}

function serverFile(file: FileInfo): ServerFile {
  const { permissions, user, group } = file;
  const date = file.modifiedAt ?? readDate(file.rawModifiedAt);
  return {
    type: TYPES[file.type] ?? '-',
    name: file.name,
    size: file.size,
    ...(date && { modifyTime: date.toISOString() }),
    ...(permissions && {
      rights: {
        user: rights(permissions.user),
        group: rights(permissions.group),
        other: rights(permissions.world),
      },
    }),
    ...(user !== undefined && { owner: user }),
    ...(group !== undefined && { group }),
  };
}

const rights = (bits: number) => [bits & 4 && 'r', bits & 2 && 'w', bits & 1 && 'x'].filter(Boolean).join('');

function readDate(text: string): Date | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time);
}
