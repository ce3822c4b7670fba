/** Nodes for texts. Lengths and positions count code points, as in Python. */
import { runRegexJob } from '#core/regex';
import { boolean, choice, int, optional, string } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { category: 'utils/string', module: 'comfy_extras.nodes_string', modern: true } as const;
const text = () => string({ multiline: true });
const flags = () => ({
  case_insensitive: boolean({ default: true }),
  multiline: boolean({ default: false }),
  dotall: boolean({ default: false }),
});

/** White space of Python's `str.strip`: that of JavaScript, and U+0085. */
const SPACE_START = /^[\s\u0085]+/;
const SPACE_END = /[\s\u0085]+$/;
const titleCase = (value: string) =>
  value.replace(/\p{L}+/gu, (word) => {
    const [first = '', ...rest] = [...word];
    return first.toUpperCase() + rest.join('').toLowerCase();
  });
const capitalize = (value: string) => {
  const [first = '', ...rest] = [...value];
  return first.toUpperCase() + rest.join('').toLowerCase();
};
const fold = (value: string, caseSensitive: boolean) => (caseSensitive ? value : value.toLowerCase());

export const stringNodes: AnyNode[] = [
  node({
    ...shared,
    name: 'StringConcatenate',
    displayName: 'Concatenate',
    inputs: { string_a: text(), string_b: text(), delimiter: string({ default: '', multiline: false }) },
    outputs: [output('STRING')],
    run: ({ string_a, string_b, delimiter }) => [string_a + delimiter + string_b],
  }),
  node({
    ...shared,
    name: 'StringSubstring',
    displayName: 'Substring',
    inputs: { string: text(), start: int(), end: int() },
    outputs: [output('STRING')],
    run: ({ string: value, start, end }) => [[...value].slice(start, end).join('')],
  }),
  node({
    ...shared,
    name: 'StringLength',
    displayName: 'Length',
    inputs: { string: text() },
    outputs: [output('INT', 'length')],
    run: ({ string: value }) => [[...value].length],
  }),
  node({
    ...shared,
    name: 'CaseConverter',
    displayName: 'Case Converter',
    inputs: { string: text(), mode: choice(['UPPERCASE', 'lowercase', 'Capitalize', 'Title Case']) },
    outputs: [output('STRING')],
    run: ({ string: value, mode }) => {
      if (mode === 'UPPERCASE') return [value.toUpperCase()];
      if (mode === 'lowercase') return [value.toLowerCase()];
      return [mode === 'Capitalize' ? capitalize(value) : titleCase(value)];
    },
  }),
  node({
    ...shared,
    name: 'StringTrim',
    displayName: 'Trim',
    inputs: { string: text(), mode: choice(['Both', 'Left', 'Right']) },
    outputs: [output('STRING')],
    run: ({ string: value, mode }) => {
      const left = mode === 'Right' ? value : value.replace(SPACE_START, '');
      return [mode === 'Left' ? left : left.replace(SPACE_END, '')];
    },
  }),
  node({
    ...shared,
    name: 'StringReplace',
    displayName: 'Replace',
    inputs: { string: text(), find: text(), replace: text() },
    outputs: [output('STRING')],
    run: ({ string: value, find, replace }) => [
      find === ''
        ? ['', ...value, ''].join(replace).slice(0, value === '' ? replace.length : undefined)
        : value.split(find).join(replace),
    ],
  }),
  node({
    ...shared,
    name: 'StringContains',
    displayName: 'Contains',
    inputs: { string: text(), substring: text(), case_sensitive: boolean({ default: true }) },
    outputs: [output('BOOLEAN', 'contains')],
    run: ({ string: value, substring, case_sensitive }) => [
      fold(value, case_sensitive).includes(fold(substring, case_sensitive)),
    ],
  }),
  node({
    ...shared,
    name: 'StringCompare',
    displayName: 'Compare',
    inputs: {
      string_a: text(),
      string_b: text(),
      mode: choice(['Starts With', 'Ends With', 'Equal']),
      case_sensitive: boolean({ default: true }),
    },
    outputs: [output('BOOLEAN')],
    run: ({ string_a, string_b, mode, case_sensitive }) => {
      const [a, b] = [fold(string_a, case_sensitive), fold(string_b, case_sensitive)];
      if (mode === 'Equal') return [a === b];
      return [mode === 'Starts With' ? a.startsWith(b) : a.endsWith(b)];
    },
  }),
  node({
    ...shared,
    name: 'RegexMatch',
    displayName: 'Regex Match',
    inputs: { string: text(), regex_pattern: text(), ...flags() },
    outputs: [output('BOOLEAN', 'matches')],
    run: async ({ string, regex_pattern, ...flags }, context) => {
      try {
        return [
          await runRegexJob({ operation: 'test', pattern: regex_pattern, flags, text: string }, context),
        ];
      } catch (error) {
        // An invalid pattern matches nothing.
        if (error instanceof SyntaxError) return [false];
        throw error;
      }
    },
  }),
  node({
    ...shared,
    name: 'RegexExtract',
    displayName: 'Regex Extract',
    inputs: {
      string: text(),
      regex_pattern: text(),
      mode: choice(['First Match', 'All Matches', 'First Group', 'All Groups']),
      ...flags(),
      group_index: int({ default: 1, min: 0, max: 100 }),
    },
    outputs: [output('STRING')],
    run: async ({ string, regex_pattern, mode, group_index, ...flags }, context) => {
      const group = mode.endsWith('Match') || mode.endsWith('Matches') ? 0 : group_index;
      const all = mode.startsWith('All');
      try {
        const found = await runRegexJob(
          { operation: all ? 'all' : 'first', pattern: regex_pattern, flags, text: string, group },
          context,
        );
        return [all ? (found as string[]).join('\n') : (found ?? '')];
      } catch (error) {
        if (error instanceof SyntaxError) return [''];
        throw error;
      }
    },
  }),
  node({
    ...shared,
    name: 'RegexReplace',
    displayName: 'Regex Replace',
    description:
      'Replaces the matches of a pattern. \\1 and \\g<name> in the replacement refer to its groups.',
    inputs: {
      string: text(),
      regex_pattern: text(),
      replace: text(),
      case_insensitive: optional(boolean({ default: true })),
      multiline: optional(boolean({ default: false })),
      dotall: optional(boolean({ default: false })),
      count: optional(int({ default: 0, min: 0, max: 100 })),
    },
    outputs: [output('STRING')],
    run: async (
      { string, regex_pattern, replace, case_insensitive = true, count = 0, ...flags },
      context,
    ) => [
      await runRegexJob(
        {
          operation: 'replace',
          pattern: regex_pattern,
          flags: { ...flags, case_insensitive },
          text: string,
          replacement: replace,
          count,
        },
        context,
      ),
    ],
  }),
];
