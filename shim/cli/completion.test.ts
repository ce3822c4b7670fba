import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ALIASES, COMMANDS } from './command-table.ts';
import { completion } from './completion.ts';

const SOME_MODELS = 'tabd() { printf "NAME ID\\nsmollm2:135m 1\\nsmall:latest 2\\n"; }';

/** The words that bash offers at the end of a line. */
function inBash(line: string): string[] {
  const script = `${SOME_MODELS}\n${completion('bash')}
COMP_LINE=$1; COMP_POINT=\${#1}; _tabd; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, 'bash', line], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

test('bash completes commands, options and words of a command', () => {
  expect(inBash('tabd wor')).toEqual(['workflow', 'work']);
  expect(inBash('tabd ')).toEqual(expect.arrayContaining([...Object.keys(COMMANDS), 'help', '--version']));
  expect(inBash('tabd workflow pub')).toEqual(['publish']);
  expect(inBash('tabd serve --vi')).toEqual(['--via-tab']);
  expect(inBash('tabd help pu')).toEqual(['pull', 'push']);
});

test('bash completes names of models, whose colon ends a word', () => {
  expect(inBash('tabd run sm')).toEqual(['smollm2:135m', 'small:latest']);
  expect(inBash('tabd run smollm2:1')).toEqual(['135m']);
  expect(inBash('tabd ls ')).toEqual([]);
  expect(inBash('tabd remove small')).toEqual(['small:latest']);
});

test.each(['zsh', 'fish'])('%s knows every command with its options', (shell) => {
  const script = completion(shell);
  for (const name of [...Object.keys(COMMANDS), ...Object.keys(ALIASES)]) expect(script).toContain(name);
  expect(script).toContain('models-folder');
});

test('another shell is refused', () => {
  expect(() => completion('csh')).toThrow("there is no completion for 'csh': choose bash, zsh or fish");
});
