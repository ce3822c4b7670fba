import { randomUUID } from 'node:crypto';
import type { CertificatePair } from '#shim/https/certificates.ts';
import { freePorts } from '../processes/shim.ts';
import { removeFolder, ServerProcess, serverFolder, writeCertificate } from './restartable-server.ts';
import { programPath } from './server-process.ts';

/** A Redis server with a password, which keeps everything in memory. */
export interface RedisServer {
  url: string;
  process: ServerProcess;
  close(): Promise<void>;
}

/** @param tls its certificate: it then answers by TLS alone */
export async function startRedis(tls?: CertificatePair): Promise<RedisServer> {
  const folder = serverFolder('redis');
  const [port] = (await freePorts(1)) as [number];
  const password = randomUUID();
  const listen = tls ? tlsArguments(tls, folder, port) : ['--port', String(port)];
  const server = new ServerProcess(port, programPath('redis-server', 'redis-server'), [
    ...[...listen, '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
    ...['--appendonly', 'no', '--requirepass', password, '--maxmemory-policy', 'noeviction'],
  ]);
  await server.start();
  return {
    url: `${tls ? 'rediss' : 'redis'}://:${password}@127.0.0.1:${port}/0`,
    process: server,
    async close() {
      await server.stop();
      removeFolder(folder);
    },
  };
}

function tlsArguments(tls: CertificatePair, folder: string, port: number): string[] {
  const { certificate, key } = writeCertificate(tls, folder);
  return [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate],
  ];
}
