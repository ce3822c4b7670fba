/** Finds the exports of a module with the examples in their docstrings. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'oxc-parser';
import manifest from '../../package.json' with { type: 'json' };

export interface Example {
  /** Name of the export; `default` for the default export. */
  name: string;
  /** The code of its first example. Undefined when it has none. */
  code: string | undefined;
  /** Whether the example's fence is marked `browser`, so that it runs in a page or worker only. */
  needsBrowser: boolean;
}

/** All exports of `file`, a path relative to `root`, including re-exports of other modules. */
export function exportedExamples(root: string, file: string): Example[] {
  const { module } = parse(root, file);
  const names = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName }) => (exportName.kind === 'Default' ? 'default' : exportName.name!)),
  );
  return names.map((name) => {
    const docstring = docstringOf(root, file, name);
    const fence = /@example\s*```ts( browser)?\n([\s\S]*?)```/.exec(docstring ?? '');
    return { name, code: fence?.[2], needsBrowser: fence?.[1] !== undefined };
  });
}

function parse(root: string, file: string) {
  const text = readFileSync(join(root, file), 'utf8');
  const { module, comments } = parseSync(file, text);
  return { text, module, comments };
}

/** The docstring of an export, without the stars. Follows re-exports and imports to the declaration. */
function docstringOf(root: string, file: string, name: string): string | undefined {
  const { text, module, comments } = parse(root, file);
  for (const { start, entries } of module.staticExports) {
    for (const { exportName, importName, localName, moduleRequest } of entries) {
      if (moduleRequest && exportName.kind === 'None') {
        const found = docstringOf(root, resolve(root, file, moduleRequest.value), name);
        if (found !== undefined) return found;
      }
      const exported = exportName.kind === 'Default' ? 'default' : exportName.name;
      if (exported !== name) continue;
      if (moduleRequest) return docstringOf(root, resolve(root, file, moduleRequest.value), importName.name!);
      const imported = module.staticImports.find((each) =>
        each.entries.some((entry) => entry.localName.value === localName.name),
      );
      if (imported) {
        const entry = imported.entries.find((each) => each.localName.value === localName.name)!;
        return docstringOf(root, resolve(root, file, imported.moduleRequest.value), entry.importName.name!);
      }
      const comment = comments.findLast(
        ({ type, end }) => type === 'Block' && end <= start && text.slice(end, start).trim() === '',
      );
      return comment?.value.replaceAll(/^\s*\* ?/gm, '');
    }
  }
  return undefined;
}

/** Resolves a relative specifier, or one of the `imports` in package.json, to a path relative to `root`. */
function resolve(root: string, from: string, specifier: string): string {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier));
  for (const [pattern, target] of Object.entries(manifest.imports)) {
    const [before = '', after] = pattern.split('*');
    if (
      after === undefined
        ? specifier !== pattern
        : !specifier.startsWith(before) || !specifier.endsWith(after)
    )
      continue;
    const inner = specifier.slice(before.length, specifier.length - (after?.length ?? 0));
    const path = normalize(target.replace('*', inner));
    if (existsSync(join(root, path))) return path;
  }
  throw new Error(`${from}: cannot resolve ${specifier}`);
}
