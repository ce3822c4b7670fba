/** Starts real servers for tests: programs of Debian's packages, on free ports, with their data in a folder of their own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from '../processes/shim.ts';

/** Folders of programs that are not always in PATH. */
const FOLDERS = ['/usr/sbin', '/sbin', '/usr/lib/rabbitmq/bin', '/usr/libexec', ...postgresFolders()];

/** @throws Error that names the missing package */
export function programPath(program: string, debianPackage: string): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...FOLDERS];
  const candidates = isAbsolute(program) ? [program] : folders.map((folder) => join(folder, program));
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path) return path;
  throw new Error(
    `This test starts the server "${program}", which is not installed. On Debian: apt-get install ${debianPackage}`,
  );
}

function postgresFolders(): string[] {
  const base = '/usr/lib/postgresql';
  return existsSync(base) ? readdirSync(base).map((version) => join(base, version, 'bin')) : [];
}

export interface StartedServer {
  port: number;
  folder: string;
  stop(): Promise<void>;
}

export interface ServerRecipe {
  program: string;
  debianPackage: string;
  /** The user to run as when the tests run as root. Default: root. */
  user?: string;
  args(parts: { port: number; folder: string }): string[];
  env?(parts: { port: number; folder: string }): Record<string, string>;
  /** Makes files and runs commands before the start. */
  prepare?(parts: { port: number; folder: string; run: RunCommand }): Promise<void> | void;
  /** Whether the server works. Default: its port accepts a connection. */
  isReady?(parts: { port: number; folder: string; run: RunCommand }): Promise<boolean> | boolean;
  /** Ends what the server leaves behind. */
  cleanUp?(parts: { port: number; folder: string; run: RunCommand }): void;
}

/** Runs another program of the same package, as the same user. Returns its output. */
export type RunCommand = (program: string, args: string[]) => string;

/** Milliseconds that a server may take to start on a busy machine. */
const START_TIME = 90_000;

export async function startServer(recipe: ServerRecipe): Promise<StartedServer> {
  const { program, debianPackage } = recipe;
  const path = programPath(program, debianPackage);
  const [port] = (await freePorts(1)) as [number];
  const folder = mkdtempSync(join(tmpdir(), 'tabd-server-'));
  const identity = identityOf(recipe.user);
  if (identity) chownSync(folder, identity.uid, identity.gid);
  const env = { ...process.env, HOME: folder, ...recipe.env?.({ port, folder }) };
  const run: RunCommand = (name, args) =>
    execFileSync(programPath(name, debianPackage), args, {
      env,
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
      ...identity,
    });
  const parts = { port, folder, run };
  let child: ChildProcess | undefined;
  const stop = async () => {
    if (child?.pid !== undefined) await endGroup(child.pid);
    recipe.cleanUp?.(parts);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    await recipe.prepare?.(parts);
    const output: string[] = [];
    child = spawn(path, recipe.args(parts), {
      env,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...identity,
    });
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk) => output.push(String(chunk)));
    const end = Date.now() + START_TIME;
    const isReady = recipe.isReady ?? (({ port }) => accepts(port));
    while (!(await isReady(parts))) {
      if (child.exitCode !== null || Date.now() > end) {
        throw new Error(`${program} did not start:\n${output.join('').slice(-4000)}`);
      }
      await wait(50);
    }
    return { port, folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ends a server with its children: some servers are started by a script. */
async function endGroup(pid: number): Promise<void> {
  const signal = (name: NodeJS.Signals | 0) => {
    try {
      return process.kill(-pid, name);
    } catch {
      return false;
    }
  };
  signal('SIGTERM');
  for (const end = Date.now() + 15_000; signal(0); ) {
    if (Date.now() > end) signal('SIGKILL');
    await wait(50);
  }
}

/** Whether a port of this computer accepts connections. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.on('connect', () => finish(true));
    socket.on('error', () => finish(false));
  });
}

/** Several servers refuse to run as root. */
export function identityOf(user: string | undefined): { uid: number; gid: number } | undefined {
  if (user === undefined || process.getuid?.() !== 0) return undefined;
  const number = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: number('-u'), gid: number('-g') };
}
