import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import rooms from '#scripts/lint/rooms.json' with { type: 'json' };

/** Other rooms have entries for programs, not for other rooms. */
const LIBRARIES = /^(core\/.*|relay|web\/client)$/;
const EXPORT_FROM = /export (?:type )?\{([^}]*)\} from '([^']+)'/g;

/** The declarations that a room's public file exports, as [file, name]. */
function publicExports(face: string): [file: string, name: string][] {
  const source = readFileSync(face, 'utf8');
  return [...source.matchAll(EXPORT_FROM)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map(
        (name) =>
          name
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0]!,
      )
      .filter((name) => name !== '')
      .map((name): [string, string] => [join(dirname(face), from), name]),
  );
}

/** Whether a comment ends right above the declaration. */
function hasDocstring(file: string, name: string): boolean {
  const source = readFileSync(file, 'utf8');
  const declaration = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:async )?(?:function\\*?|class|const|let|interface|type|enum) ${name}\\b`,
    'm',
  );
  const start = declaration.exec(source)?.index;
  // Names that are exported again are documented where they are declared.
  if (start === undefined) return true;
  const above = source.slice(0, start).replace(/(\n\/\/ biome-ignore.*)+\n$/, '\n');
  return above.endsWith('*/\n');
}

test('every public export of a room has a docstring', () => {
  const faces = Object.keys(rooms)
    .filter((room) => LIBRARIES.test(room))
    .flatMap((room) => [`${room}/index.ts`, `${room}/lazy.ts`])
    .filter((file) => existsSync(file));
  expect(faces.length).toBeGreaterThan(12);
  const exports = faces.flatMap(publicExports).filter(([file]) => file.endsWith('.ts'));
  expect(exports.length).toBeGreaterThan(300);
  const undocumented = exports.filter(([file, name]) => !hasDocstring(file, name));
  expect(undocumented.map(([file, name]) => `${file} ${name}`)).toEqual([]);
});
