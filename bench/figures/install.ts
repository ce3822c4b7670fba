/** `npm i tabd` in an empty project, from the packed tarball: seconds, megabytes, and no engines of Node. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from '../figure.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

export default async function* install(): AsyncIterable<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'tabd-install-'));
  try {
    const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: checkout,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    yield { name: 'package: MB packed', value: statSync(join(folder, filename)).size / 1e6 };
    const project = join(folder, 'project');
    execFileSync('mkdir', [project]);
    writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true}');
    const started = performance.now();
    execFileSync('npm', ['install', '--no-audit', '--no-fund', join(folder, filename)], {
      cwd: project,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    yield { name: 'package: seconds of npm i tabd', value: (performance.now() - started) / 1000 };
    const modules = join(project, 'node_modules');
    yield { name: 'package: MB installed', value: bytesBelow(modules) / 1e6 };
    const engines = readdirSync(modules).filter((name) => /llama|libsql|onnxruntime-node/.test(name)).length;
    yield { name: 'package: Node engines that come along', value: engines, aim: '<= 0' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
