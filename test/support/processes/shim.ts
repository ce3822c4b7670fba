/** The built shim as a separate process, on free ports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../../node-shim/dist/cli.js', import.meta.url));

export interface ShimPorts {
  app: number;
  'local-models': number;
  'image-workflows': number;
  webhooks: number;
}

export interface RunningShim {
  readonly ports: ShimPorts;
  readonly process: ChildProcess;
  /** All output so far. */
  output(): string;
  /** Ends the process, and waits until it has ended. */
  stop(): Promise<void>;
}

export async function startShim(
  home: string,
  options: {
    args?: string[];
    env?: Record<string, string>;
    /** The ports to use instead of free ones. */
    ports?: Partial<ShimPorts>;
    /** Whether a first start installs first models. */
    pull?: boolean;
    /** The path of the program, instead of that of the built one. */
    program?: string;
  } = {},
): Promise<RunningShim> {
  const program = options.program ?? cli;
  if (!existsSync(program)) throw new Error('the shim is not built: run `npm run build` first');
  const [app, local, image, webhooks] = await freePorts(4);
  const ports: ShimPorts = {
    app: app!,
    'local-models': local!,
    'image-workflows': image!,
    webhooks: webhooks!,
    ...options.ports,
  };
  const list = Object.entries(ports).map(([name, port]) => `${name}=${port}`);
  const args = [
    'serve',
    '--home',
    home,
    '--ports',
    list.join(','),
    '--yes',
    ...(options.pull ? [] : ['--no-pull']),
  ];
  const child = spawn(process.execPath, [program, ...args, ...(options.args ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Keeps the shim from using a server that a developer runs.
    env: { ...process.env, OLLAMA_HOST: '', OLLAMA_NO_CLOUD: '1', ...options.env },
  });
  let printed = '';
  const collect = (data: Buffer) => {
    printed += data.toString('utf8');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
  };
  process.once('exit', () => child.kill('SIGKILL'));
  try {
    await answering(`http://127.0.0.1:${ports.app}/`, child);
    await answering(`http://127.0.0.1:${ports.webhooks}/webhook/ready`, child);
    // Waits for the file with the server's address, which is written last.
    for (let tries = 0; tries < 100 && !existsSync(join(home, 'running.json')); tries++) await sleep(50);
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}; it printed:\n${printed}`);
  }
  return { ports, process: child, output: () => printed, stop };
}

/** The link that `--via-tab` prints, without its origin. */
export function tabPath({ output }: RunningShim): string {
  const path = /https?:\/\/localhost:\d+(\/\S+)/.exec(output())?.[1];
  if (!path) throw new Error(`--via-tab printed no link:\n${output()}`);
  return path;
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 900; tries++) {
    if (child.exitCode !== null) throw new Error(`the shim ended with code ${child.exitCode}`);
    const answer = await fetch(url, { redirect: 'manual' }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer) return;
    await sleep(100);
  }
  throw new Error(`the shim did not answer at ${url} within 90 s`);
}

/** Ports that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(0, '127.0.0.1', resolve);
      });
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
