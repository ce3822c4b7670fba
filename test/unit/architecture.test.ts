/** The pages for contributors agree with the tree and with the rules that the lint enforces. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import rooms from '../../scripts/lint/rooms.json' with { type: 'json' };

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** Cells in backticks, as a list. */
const names = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

it('docs/architecture.md lists every room with its allowed imports', () => {
  const table: Record<string, string[]> = {};
  const section = read('docs/architecture.md').split('## Rooms')[1]!.split('\n## ')[0]!;
  for (const line of section.split('\n').filter((line) => line.startsWith('| `'))) {
    const [room, , imports] = line.slice(2, -2).split(' | ');
    table[names(room!)[0]!] = names(imports!).sort();
  }
  const rules = Object.entries(rooms).map(([room, imports]) => [room, [...imports].sort()]);
  expect(table).toEqual(Object.fromEntries(rules));
});

it.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names files that exist', (page) => {
  const paths = names(read(page).replace(/```[\s\S]*?```/g, '')).filter((name) =>
    /^(core|relay|sw|workers|web|shim|tools|test|scripts|bench|docs|examples)\/[\w./-]+$/.test(name),
  );
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
