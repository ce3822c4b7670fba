/** The files that start tabd in the background: their syntax, and that tabd knows their commands. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from 'dockerfile-utils';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { parseArguments } from '#shim/cli/arguments.ts';
import { PORTS } from '#shim/ports/open-ports.ts';
import { APP_PORT } from '#shim/ports/port-choice.ts';

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../packaging/${name}`, import.meta.url)), 'utf8');
/** Seconds that `tabd serve` waits for answers to complete. */
const GRACE = 30;

const understood = (command: string) =>
  parseArguments(/\btabd (serve[^"'\n]*?)(\s2>>.*)?$/m.exec(command)![1]!.trim().split(' '));

test('the systemd unit', () => {
  const unit = read('tabd.service');
  const values = Object.fromEntries(
    unit
      .split('\n')
      .filter((line) => /^[A-Z]\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  expect(understood(values.ExecStart!)).toMatchObject({ command: 'serve', yes: true });
  expect(Number(values.TimeoutStopSec)).toBeGreaterThan(GRACE);
  expect(unit.match(/^\[\w+\]$/gm)).toEqual(['[Unit]', '[Service]', '[Install]']);
  for (const line of unit.split('\n')) expect(line).toMatch(/^(#.*|\[\w+\]|[A-Z]\w+=\S.*|)$/);
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return;
  const folder = mkdtempSync(join(tmpdir(), 'tabd-unit-'));
  writeFileSync(join(folder, 'tabd.service'), unit);
  const checked = spawnSync('systemd-analyze', ['verify', join(folder, 'tabd.service')], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect(checked.stderr).not.toMatch(/tabd\.service/);
});

test('the launchd agent', () => {
  const text = read('com.tabd.plist');
  expect(XMLValidator.validate(text)).toBe(true);
  const { dict } = new XMLParser({ preserveOrder: false }).parse(text).plist;
  expect(understood(dict.array.string[2])).toMatchObject({ command: 'serve' });
  expect(dict.integer).toBeGreaterThan(GRACE);
  expect(execFileSync('sh', ['-n', '-c', dict.array.string[2]]).toString()).toBe('');
});

test('the command of the Windows task is valid', () => {
  const command = /tabd`" (serve[^2]+) 2>>/.exec(read('windows-task.ps1'))![1]!;
  expect(parseArguments(command.split(' '))).toMatchObject({ command: 'serve', yes: true });
});

test('the dashboard of Grafana uses metrics that tabd prints', () => {
  const source = readFileSync(
    fileURLToPath(new URL('../../shim/metrics/metrics.ts', import.meta.url)),
    'utf8',
  );
  const printed = [...source.matchAll(/'((?:tabd|process)_\w+)'/g)].map(([, name]) => name);
  const dashboard = JSON.parse(read('grafana/tabd.json')) as {
    panels: { id: number; title: string; targets: { expr: string }[] }[];
  };
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const used = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/(tabd|process)_\w+/g)!),
  );
  for (const name of used) expect(printed).toContain(name.replace(/_(bucket|count)$/, ''));
  // Every metric of the work of a cluster has a place.
  for (const name of [
    'tabd_queue_length',
    'tabd_wait_seconds_bucket',
    'tabd_run_seconds_bucket',
    'tabd_tokens_total',
  ])
    expect(used).toContain(name);
  expect(used).toContain('tabd_gpu_memory_bytes');
});

test('the commands of the compose file and of the Helm chart', () => {
  const compose = parseYaml(read('compose.cluster.yaml'), { merge: true });
  const helm = (file: string) => /command: (\[tabd, .+\])/.exec(read(`helm/tabd/templates/${file}`))![1]!;
  const commands = [
    ...['door', 'worker'].map((name) => compose.services[name].entrypoint as string[]),
    ...['door.yaml', 'workers.yaml'].map((file) => parseYaml(helm(file)) as string[]),
  ];
  for (const [program, ...words] of commands) {
    expect(program).toBe('tabd');
    expect(['serve', 'work']).toContain(parseArguments(words).command);
  }
});

test('the Dockerfile', () => {
  const text = read('Dockerfile');
  // Severity 1 is an error, as in language servers.
  const wrong = validate(text).filter(({ severity }) => severity === 1);
  expect(wrong).toEqual([]);
  const [, ...words] = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(text)![1]!) as string[];
  expect(parseArguments(words)).toMatchObject({ command: 'serve', listen: '0.0.0.0' });
  const ports = /^EXPOSE (.+)$/m.exec(text)![1]!.split(' ').map(Number);
  expect(ports).toEqual([APP_PORT, ...PORTS.map(({ port }) => port)]);
});
