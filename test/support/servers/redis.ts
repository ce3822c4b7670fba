import { randomUUID } from 'node:crypto';
import { freePorts } from '../processes/shim.ts';
import { removeFolder, ServerProcess, serverFolder } from './restartable-server.ts';
import { programPath } from './server-process.ts';

/** A Redis server with a password, which keeps everything in memory. */
export interface RedisServer {
  url: string;
  process: ServerProcess;
  close(): Promise<void>;
}

export async function startRedis(): Promise<RedisServer> {
  const folder = serverFolder('redis');
  const [port] = (await freePorts(1)) as [number];
  const password = randomUUID();
  const server = new ServerProcess(port, programPath('redis-server', 'redis-server'), [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
    ...['--appendonly', 'no', '--requirepass', password, '--maxmemory-policy', 'noeviction'],
  ]);
  await server.start();
  return {
    url: `redis://:${password}@127.0.0.1:${port}/0`,
    process: server,
    async close() {
      await server.stop();
      removeFolder(folder);
    },
  };
}
