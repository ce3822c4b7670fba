/** Patterns and replacements in Python's notation, run by JavaScript's engine. */

export interface RegexFlags {
  case_insensitive?: boolean | undefined;
  multiline?: boolean | undefined;
  dotall?: boolean | undefined;
}

/** Throws an Error that names the fault. */
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
    // Without `u`, escapes that mean themselves are allowed, as in Python.
    return new RegExp(source, letters);
  }
}

/** The text that a match is replaced by: `\1`, `\g<1>` and `\g<name>` are groups. */
export function expandReplacement(template: string, groups: (name: string) => string): string {
  return template.replace(/\\(?:g<(\w+)>|(\d{1,2})|(.))/gs, (_, named, numbered, other: string) => {
    if (named !== undefined || numbered !== undefined) return groups(named ?? numbered);
    return ESCAPES[other] ?? (other === '\\' ? '\\' : `\\${other}`);
  });
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

/** Replaces up to `count` matches, all for 0. */
export function replaceMatches(text: string, regex: RegExp, template: string, count: number): string {
  let done = 0;
  return text.replace(regex, (...found: unknown[]) => {
    if (count > 0 && done >= count) return found[0] as string;
    done++;
    const last = found.at(-1);
    const names = typeof last === 'object' && last !== null ? (last as Record<string, string>) : {};
    return expandReplacement(template, (name) => {
      const group = /^\d+$/.test(name) ? found[Number(name)] : names[name];
      const known = /^\d+$/.test(name) ? Number(name) < groupCount(found) : name in names;
      if (!known) throw new Error(`the replacement names group ${name}, which the pattern does not have`);
      return (group as string | undefined) ?? '';
    });
  });
}

/** The whole match and its groups; what follows is the offset. */
const groupCount = (found: readonly unknown[]) => found.findIndex((part) => typeof part === 'number');
