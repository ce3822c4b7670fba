import type { ConnectionLimits, FileServerClient, ServerLogin, SshKey } from '#core/host';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { tooLarge } from './reach.ts';
import { sshLogin } from './ssh-login.ts';

export async function connectSftp(
  settings: ServerLogin & SshKey,
  limits: ConnectionLimits,
): Promise<FileServerClient> {
  const { default: Client } = await loadPackage('ssh2-sftp-client', () => import('ssh2-sftp-client'));
  const client = new Client();
  // Pending work rejects with the error as well.
  client.on('error', () => {});
  const login = { ...(await sshLogin(settings, limits)), retries: 0 };
  await withinConnectTime(limits, client.connect(login), () => void client.end().catch(() => {}));
  const connection = new Connection(limits.signal, () => client.end());
  return {
    close: () => connection.close(),
    list: (path) =>
      connection.run(async () =>
        (await client.list(path)).map(
          ({ type, name, size, modifyTime, accessTime, rights, owner, group }) => ({
            type,
            name,
            size,
            modifyTime: new Date(modifyTime).toISOString(),
            accessTime: new Date(accessTime).toISOString(),
            rights,
            owner,
            group,
          }),
        ),
      ),
    download: (path) =>
      connection.run(async () => {
        const { size } = await client.stat(path);
        if (size > limits.maxBytes) throw tooLarge(limits.maxBytes);
        return new Uint8Array((await client.get(path)) as Buffer);
      }),
    upload: (path, bytes) =>
      connection.run(async () => {
        const slash = path.lastIndexOf('/');
        if (slash > 0) await createFolder(path.slice(0, slash));
        await client.put(Buffer.from(bytes), path);
      }),
    rename: (from, to) => connection.run(async () => void (await client.rename(from, to))),
    createFolder: (path) => connection.run(() => createFolder(path)),
    deleteFile: (path) => connection.run(async () => void (await client.delete(path))),
    deleteFolder: (path, recursive) => connection.run(async () => void (await client.rmdir(path, recursive))),
  };

  async function createFolder(path: string): Promise<void> {
    if (!(await client.exists(path))) await client.mkdir(path, true);
  }
}
