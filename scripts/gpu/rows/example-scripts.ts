/**
 * Scripts of another project, as they are, on port 8188 that a tab answers: `TABD_SCRIPTS` names their folder, and
 * `TABD_CHECKPOINTS` that of `v1-5-pruned-emaonly.safetensors` and `.ckpt`. Python needs `websocket-client`.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from '@playwright/test';
import { processesWith, processTree } from '#test/support/processes/child-processes.ts';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import { startShim, tabPath } from '#test/support/processes/shim.ts';
import { copyToTab, openAppTab } from '#test/support/processes/tab.ts';
import { ask, NO_VULKAN, PORTS, PROGRAM, reportRow, secondsSince } from './kit.ts';

const CHECKPOINTS = ['v1-5-pruned-emaonly.safetensors', 'v1-5-pruned-emaonly.ckpt'];
/** Milliseconds between two looks at the memory of the browser. */
const INTERVAL = 500;
const port = `http://127.0.0.1:${PORTS['image-workflows']}`;

interface HistoryEntry {
  status: { status_str: string; messages: unknown[] };
  outputs: Record<string, { images?: { filename: string; subfolder: string; type: string }[] }>;
}

export async function exampleScripts(): Promise<void> {
  const { TABD_SCRIPTS: scripts, TABD_CHECKPOINTS: checkpoints } = process.env;
  if (!scripts || !checkpoints) throw new Error('set TABD_SCRIPTS and TABD_CHECKPOINTS');
  const home = await mkdtemp(join(tmpdir(), 'tabd-scripts-'));
  const shim = await startShim(home, {
    program: PROGRAM,
    ports: PORTS,
    args: ['--via-tab'],
    env: NO_VULKAN,
  });
  const { SOFTWARE_GPU_CHROMIUM: gpu, SOFTWARE_GPU_FLAGS: flags = '' } = process.env;
  // A profile on disk, so that the tab's files are there, and not in the memory that is measured.
  const profile = await mkdtemp(join(tmpdir(), 'tabd-profile-'));
  const browser = await chromium.launchPersistentContext(profile, {
    ...(await chromiumLaunch(flags.split(' ').filter(Boolean))),
    ...(gpu && { executablePath: gpu }),
  });
  browser.on('console', (message) => console.log(message.text()));
  const memory = watchMemory(profile);
  try {
    const tab = await openAppTab(browser, `http://localhost:${PORTS.app}`, tabPath(shim));
    await copyCheckpoints(tab, checkpoints);
    reportRow('memory of the browser before the scripts', memory.largest());
    for (const script of (await readdir(scripts)).filter((name) => name.endsWith('.py')).sort())
      await runScript(join(scripts, script), memory);
    reportRow('system_stats', await ask<object>(`${port}/system_stats`));
  } finally {
    memory.stop();
    await browser.close();
    await shim.stop();
    for (const folder of [home, profile]) await rm(folder, { recursive: true, force: true });
  }
}

async function copyCheckpoints(tab: Page, folder: string): Promise<void> {
  for (const name of CHECKPOINTS) {
    const start = performance.now();
    await copyToTab(tab, join(folder, name), `models/checkpoints/${name}`);
    reportRow(`copied ${name}`, { seconds: secondsSince(start) });
  }
}

async function runScript(path: string, memory: ReturnType<typeof watchMemory>): Promise<void> {
  await ask<object>(`${port}/history`, { clear: true }).catch(() => undefined);
  memory.reset();
  const start = performance.now();
  const printed = await python(path);
  // The first script does not wait for its image.
  let entries: HistoryEntry[] = [];
  while (entries.length === 0) {
    entries = Object.values(await ask<Record<string, HistoryEntry>>(`${port}/history`));
    await sleep(100);
  }
  const seconds = secondsSince(start);
  const [entry] = entries as [HistoryEntry];
  const images = Object.values(entry.outputs).flatMap((output) => output.images ?? []);
  reportRow(path, {
    seconds,
    status: entry.status.status_str,
    ...(entry.status.status_str !== 'success' && { messages: entry.status.messages }),
    images: await Promise.all(images.map(pngSize)),
    printed,
    memory: memory.largest(),
  });
}

/** Width and height in the header of a PNG file. */
async function pngSize(image: { filename: string; subfolder: string; type: string }): Promise<number[]> {
  const response = await fetch(`${port}/view?${new URLSearchParams({ ...image })}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

function python(path: string): Promise<string> {
  const child = spawn('python3', [path], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += data));
  return new Promise((resolve, reject) =>
    child.once('close', (code) =>
      code === 0 ? resolve(printed) : reject(new Error(`${path} ended with ${code}: ${printed}`)),
    ),
  );
}

/** Watches the memory of the browser with a profile: the largest sum of its processes' shares, in gigabytes. */
function watchMemory(profile: string) {
  let largest = 0;
  const timer = setInterval(() => {
    const browser = processesWith(`--user-data-dir=${profile}`);
    const bytes = processTree(...browser).reduce((sum, pid) => sum + share(pid), 0);
    largest = Math.max(largest, bytes / 1e9);
  }, INTERVAL);
  return {
    largest: () => ({ gigabytes: largest }),
    reset: () => {
      largest = 0;
    },
    stop: () => clearInterval(timer),
  };
}

/** A process's share of memory: pages that several processes map are divided among them. */
function share(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
