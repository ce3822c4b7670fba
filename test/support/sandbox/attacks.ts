/** Attacks on the sandbox of workflows, after public reports. They run in both hosts. */
import list from './attacks.json' with { type: 'json' };

export interface Attack {
  name: string;
  /** The report or the kind of attack that it follows. */
  origin: string;
  /** A body of a Code node. `found` in what it returns lists what it reached. */
  code: string;
  /**
   * - `escape` (default): it looks for something outside of the sandbox.
   * - `leaving`: what it returns would change prototypes outside.
   * - `resource`: it uses time or memory without an end.
   * - `memory`: it makes the engine use memory that it should not. Only the engine's own memory may suffer.
   */
  kind: 'escape' | 'leaving' | 'resource' | 'memory';
}

/** An expression. What it returns names the types of what it reached. */
export interface ExpressionAttack {
  name: string;
  origin: string;
  expression: string;
}

type Listed = ExpressionAttack | (Omit<Attack, 'kind'> & Partial<Attack>);

export const EXPRESSION_ATTACKS = (list as Listed[]).filter(
  (attack): attack is ExpressionAttack => 'expression' in attack,
);

export const CODE_ATTACKS = (list as Listed[]).flatMap((attack): Attack[] =>
  'code' in attack ? [{ kind: 'escape', ...attack }] : [],
);

/** Globals of Node, browsers and QuickJS's own shell. None of them belongs into the sandbox. */
const OUTSIDE = [
  ...[
    'process',
    'Deno',
    'Bun',
    'window',
    'self',
    'document',
    'navigator',
    'fetch',
    'XMLHttpRequest',
    'WebSocket',
  ],
  ...['Worker', 'importScripts', 'postMessage', 'indexedDB', 'caches', 'localStorage', 'WebAssembly'],
  ...['std', 'os', 'scriptArgs', 'load', 'print', 'Java', '__host', '__bridge'],
];

/** The code with `look(value)`, which lists the globals of the outside that `value` has. */
export function attackCode({ code }: Attack): string {
  return `const look = (value) => ${JSON.stringify(OUTSIDE)}.filter((name) => { try { return value[name] !== undefined } catch { return false } }); ${code}`;
}

/** The result of a run after an attack, unless the attack changed something for others. */
export const INNOCENT = {
  code: "return { left: typeof left, own: ({}).left, list: [...[1, 2]].map((n) => n * 2), text: JSON.parse('[3]') }",
  value: { left: 'undefined', list: [2, 4], text: [3] },
  expression: "[typeof left, ({}).left ?? 0, [1, 2].map((n) => n * 2).join(), 'a'.toTitleCase()].join(' ')",
  expressionValue: 'undefined 0 2,4 A',
};
