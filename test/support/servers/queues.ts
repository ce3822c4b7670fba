/** Real message queues for tests. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../processes/shim.ts';
import { programPath, type StartedServer, startServer } from './server-process.ts';

/** Mosquitto, without a login. */
export function startMosquitto(): Promise<StartedServer> {
  return startServer({
    program: 'mosquitto',
    debianPackage: 'mosquitto',
    user: 'nobody',
    prepare: ({ port, folder }) => {
      writeFileSync(
        join(folder, 'conf'),
        `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\n`,
      );
    },
    args: ({ folder }) => ['-c', join(folder, 'conf')],
  });
}

/** RabbitMQ with the user `guest`, password `guest`. */
export async function startRabbitMq(): Promise<StartedServer> {
  const [epmd, distribution] = (await freePorts(2)) as [number, number];
  return startServer({
    program: 'rabbitmq-server',
    debianPackage: 'rabbitmq-server',
    user: 'nobody',
    env: ({ port, folder }) => ({
      PATH: `/usr/lib/rabbitmq/bin:${process.env.PATH}`,
      ERL_EPMD_PORT: String(epmd),
      ERL_EPMD_ADDRESS: '127.0.0.1',
      RABBITMQ_NODENAME: `tabd${port}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(distribution),
      RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
      RABBITMQ_LOG_BASE: join(folder, 'log'),
      RABBITMQ_PID_FILE: join(folder, 'pid'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
      RABBITMQ_CONFIG_FILE: join(folder, 'none'),
      RABBITMQ_CONF_ENV_FILE: join(folder, 'none.conf'),
    }),
    prepare: ({ folder }) => writeFileSync(join(folder, 'plugins'), '[].'),
    args: () => [],
    cleanUp: () => {
      // The server starts this helper of Erlang, and leaves it running.
      try {
        execFileSync(programPath('epmd', 'rabbitmq-server'), ['-port', String(epmd), '-kill'], {
          stdio: 'ignore',
        });
      } catch {
        // It has not been started.
      }
    },
  });
}
