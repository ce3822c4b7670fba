/** Commands on other computers, by SSH. */
import type { ClientChannel, Client as Ssh } from 'ssh2';
import type { ConnectionLimits, ServerLogin, SshClient, SshKey, SshOutput } from '#core/host';
import { Connection, loadPackage, withinConnectTime } from './connection.ts';
import { tooLarge } from './reach.ts';
import { sshLogin } from './ssh-login.ts';

export async function connectSsh(
  settings: ServerLogin & SshKey,
  limits: ConnectionLimits,
): Promise<SshClient> {
  const { Client } = (await loadPackage('ssh2', () => import('ssh2'))).default;
  const login = await sshLogin(settings, limits);
  const client: Ssh = new Client();
  const connecting = new Promise<void>((resolve, reject) => {
    client
      .once('ready', resolve)
      .on('error', reject)
      .once('close', () => reject(new Error('The server closed the connection')));
    client.connect(login);
  });
  await withinConnectTime(limits, connecting, () => void client.destroy());
  const connection = new Connection(limits.signal, (isAborted) => {
    if (isAborted) client.destroy();
    else client.end();
  });
  return {
    close: () => connection.close(),
    run: (command) => connection.run(async () => outputOf(await start(client, command), limits.maxBytes)),
  };
}

function start(client: Ssh, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.once('close', () => reject(new Error('The server closed the connection')));
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel)));
  });
}

function outputOf(channel: ClientChannel, maxBytes: number): Promise<SshOutput> {
  return new Promise((resolve, reject) => {
    const parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    let size = 0;
    let ended: Pick<SshOutput, 'code' | 'signal'> = { code: null, signal: null };
    const receive = (name: keyof typeof parts) => (data: Buffer) => {
      size += data.length;
      if (size > maxBytes) {
        channel.close();
        reject(tooLarge(maxBytes));
      } else parts[name].push(data);
    };
    channel.on('data', receive('stdout'));
    channel.stderr.on('data', receive('stderr'));
    channel.on('exit', (code: number | null, signal?: string) => {
      ended = { code, signal: signal ?? null };
    });
    channel.on('error', reject);
    channel.on('close', () => {
      const text = (name: keyof typeof parts) => Buffer.concat(parts[name]).toString('utf8');
      resolve({ ...ended, stdout: text('stdout'), stderr: text('stderr') });
    });
    channel.end();
  });
}
