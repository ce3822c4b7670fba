/** Regular expressions and replacements in Python's notation, run by JavaScript's engine. */

export interface RegexFlags {
  case_insensitive?: boolean | undefined;
  multiline?: boolean | undefined;
  dotall?: boolean | undefined;
}

/**
 * A global `RegExp` for a Python pattern.
 * @throws SyntaxError that names the fault
 */
export function pythonRegex(pattern: string, flags: RegexFlags): RegExp {
  const source = pattern
    .replace(/\(\?P<([A-Za-z_]\w*)>/g, '(?<$1>')
    .replace(/\(\?P=([A-Za-z_]\w*)\)/g, '\\k<$1>')
    .replace(/\\A/g, '(?<![\\s\\S])')
    .replace(/\\Z/g, '(?![\\s\\S])');
  const letters = `g${flags.case_insensitive ? 'i' : ''}${flags.multiline ? 'm' : ''}${flags.dotall ? 's' : ''}`;
  try {
    return new RegExp(source, `${letters}u`);
  } catch {
    // Without `u`, a needless backslash is allowed, as in Python.
    return new RegExp(source, letters);
  }
}

/**
 * The text that replaces a match.
 * @param template in which `\1`, `\g<1>` and `\g<name>` stand for groups
 * @param groups the text of a group by its number or name
 */
export function expandReplacement(template: string, groups: (name: string) => string): string {
  return template.replace(/\\(?:g<(\w+)>|(\d{1,2})|(.))/gs, (_, named, numbered, other: string) => {
    if (named !== undefined || numbered !== undefined) return groups(named ?? numbered);
    return ESCAPES[other] ?? (other === '\\' ? '\\' : `\\${other}`);
  });
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/**
 * Replaces matches in a text.
 * @param count how many matches at most; 0 replaces all
 * @throws Error for a template that names a missing group
 */
export function replaceMatches(text: string, regex: RegExp, template: string, count: number): string {
  let replaced = 0;
  return text.replace(regex, (...match: unknown[]) => {
    if (count > 0 && replaced >= count) return match[0] as string;
    replaced++;
    const last = match.at(-1);
    const namedGroups = typeof last === 'object' && last !== null ? (last as Record<string, string>) : {};
    return expandReplacement(template, (name) => {
      const isNumber = /^\d+$/.test(name);
      const exists = isNumber ? Number(name) < groupCount(match) : name in namedGroups;
      if (!exists) throw new Error(`the replacement names group ${name}, which the pattern does not have`);
      const group = isNumber ? match[Number(name)] : namedGroups[name];
      return (group as string | undefined) ?? '';
    });
  });
}

/** The number of groups, including the match itself. The next argument of a replacer is the offset, a number. */
const groupCount = (match: readonly unknown[]) => match.findIndex((part) => typeof part === 'number');
