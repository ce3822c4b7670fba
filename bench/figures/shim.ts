/** The shim alone: time from the command to the first response, idle memory, and cost of its installation. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts, startShim } from '#test/support/processes/shim.ts';
import type { Figure } from '../figure.ts';
import { median } from '../statistics.ts';

const STARTS = 7;
/** Milliseconds after the start by which all work of the start has ended. */
const SETTLE_TIME = 8000;
const checkout = fileURLToPath(new URL('../..', import.meta.url));
const cli = join(checkout, 'node-shim', 'dist', 'cli.js');

export default async function* shim(): AsyncIterable<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-shim-'));
  try {
    const starts: number[] = [];
    for (let start = -1; start < STARTS; start++) {
      const duration = await coldStart(join(folder, `home-${start}`));
      // The first start does not count: it reads the program from the disk.
      if (start >= 0) starts.push(duration);
    }
    yield { name: 'shim: s from the command to the first answer', value: median(starts) / 1000, aim: '<= 1' };
    const home = join(folder, 'idle');
    const running = await startShim(home);
    await sleep(SETTLE_TIME);
    const status = readFileSync(`/proc/${running.process.pid}/status`, 'utf8');
    const resident = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
    yield { name: 'shim: MB of memory while it waits', value: resident / 1e6, aim: '<= 120' };
    await running.stop();
    yield* install(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds from the command to the first response, with a new home. */
async function coldStart(home: string): Promise<number> {
  const [app, models, images, webhooks] = await freePorts(4);
  const ports = `app=${app},${models},${images},${webhooks}`;
  const started = performance.now();
  const child = spawn(process.execPath, [cli, 'serve', '--home', home, '--ports', ports, '--no-pull'], {
    stdio: 'ignore',
    env: { ...process.env, OLLAMA_HOST: '' },
  });
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${models}/api/version`).catch(() => undefined);
      if (answer?.ok) return performance.now() - started;
      if (child.exitCode !== null) throw new Error(`the shim ended with code ${child.exitCode}`);
      await sleep(5);
    }
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}

/** Installs the packed tarball in an empty folder: without the engine of Node, and with it. */
async function* install(folder: string): AsyncIterable<Figure> {
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: join(checkout, 'node-shim'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf('['))) as [{ filename: string }];
  yield { name: 'shim: MB packed', value: statSync(join(folder, filename)).size / 1e6 };
  for (const [what, options] of [
    ['without an engine', ['--omit=optional']],
    ['with its engine', []],
  ] as const) {
    const project = join(folder, what.replaceAll(' ', '-'));
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true}');
    const started = performance.now();
    execFileSync('npm', ['install', '--no-audit', '--no-fund', ...options, join(folder, filename)], {
      cwd: project,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    yield { name: `shim: seconds to install ${what}`, value: (performance.now() - started) / 1000 };
    yield { name: `shim: MB installed ${what}`, value: bytesBelow(join(project, 'node_modules')) / 1e6 };
  }
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
