import type { ScopeUses } from '../../expressions/compile.ts';
import modules from './modules.json' with { type: 'json' };

/** `_("Name")`, with the name as a plain text. */
const NODE_BY_NAME = /(?<![\w.])_\(\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)')\s*\)/g;
const NODE = /(?<![\w.])_\(/g;

/** The data that Python code may read. Names in comments and texts count too. */
export function pythonUses(code: string): ScopeUses {
  const named = [...code.matchAll(NODE_BY_NAME)].map(([, double, single]) => double ?? single ?? '');
  const calls = [...code.matchAll(NODE)].length;
  // The function itself may be passed on: `map(_, names)`.
  const isPassed = /(?<![\w.])_(?![\w(])/.test(code) && !/(for|,)\s*_\s*(,|in\b|=)/.test(code);
  return {
    items: /(?<!\w)_?(items|input)\b/.test(code),
    nodes: calls > named.length || isPassed ? 'all' : new Set(named),
    matching: /itemMatching|pairedItem/.test(code),
  };
}

const IMPORT = /^[^\S\n]*(?:from\s+([A-Za-z_]\w*)[\w.]*\s+import\b|import\s+([^#;\n]+))/gm;

/** The modules that Python code imports and that are not there: all but the standard library. */
export function missingModules(code: string): string[] {
  const there = new Set(modules);
  const names = [...code.matchAll(IMPORT)].flatMap(([, from, list = '']) =>
    from ? [from] : list.split(',').map((name) => /^\s*(\w*)/.exec(name)![1]!),
  );
  return [...new Set(names)].filter((name) => name !== '' && !there.has(name));
}
