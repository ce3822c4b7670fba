import type { Builder } from './builder.ts';

interface Branch {
  ends: boolean;
  next: Map<string, Branch>;
}

const SAFE = '"\\\\\\x7F\\x00-\\x1F';

/** A name in quotes that is none of these; it is written without escapes, so that it cannot be one in disguise. */
export function notNames(names: string[], name: string, builder: Builder): string {
  const root: Branch = { ends: false, next: new Map() };
  for (const one of names) {
    let branch = root;
    for (const character of one) {
      let next = branch.next.get(character);
      if (!next) {
        next = { ends: false, next: new Map() };
        branch.next.set(character, next);
      }
      branch = next;
    }
    branch.ends = true;
  }
  const any = `[^${SAFE}]*`;
  /** What may follow the characters that led here. */
  const rest = (branch: Branch): string => {
    const options = branch.ends ? [] : ['""'];
    const others = [...branch.next.keys()].filter(isSafe);
    options.push(`[^${others.map(inClass).join('')}${SAFE}] ${any}`);
    for (const character of others) {
      const next = branch.next.get(character)!;
      options.push(`[${inClass(character)}] ${rest(next)}`);
    }
    return builder.add(name, options.join(' | '));
  };
  return `"\\"" ${rest(root)} "\\""`;
}

/** Whether a character may stand in a JSON string as it is. */
function isSafe(character: string): boolean {
  const code = character.codePointAt(0)!;
  return code >= 32 && code !== 34 && code !== 92 && code !== 127 && !(code >= 0xd800 && code <= 0xdfff);
}

function inClass(character: string): string {
  return /[\]\\^[-]/.test(character) ? `\\${character}` : character;
}
