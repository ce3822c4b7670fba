import type { GrammarWriter } from './grammar-writer.ts';

/** A node of the prefix tree of the excluded names. */
interface TrieNode {
  isName: boolean;
  next: Map<string, TrieNode>;
}

/** Characters that JSON does not allow unescaped, and DEL; inside a class of GBNF. */
const UNSAFE = '"\\\\\\x7F\\x00-\\x1F';

/** A quoted name other than these. It contains no escapes: with one it could be an excluded name in another spelling. */
export function nameExcept(excluded: string[], ruleName: string, writer: GrammarWriter): string {
  const anyEnd = `[^${UNSAFE}]*`;
  /** The rest of a name after the characters that lead to this node. */
  const rest = (node: TrieNode): string => {
    const options = node.isName ? [] : ['""'];
    const characters = [...node.next.keys()].filter(isSafe);
    options.push(`[^${characters.map(inClass).join('')}${UNSAFE}] ${anyEnd}`);
    for (const character of characters) {
      options.push(`[${inClass(character)}] ${rest(node.next.get(character)!)}`);
    }
    return writer.add(ruleName, options.join(' | '));
  };
  return `"\\"" ${rest(prefixTree(excluded))} "\\""`;
}

function prefixTree(names: string[]): TrieNode {
  const root: TrieNode = { isName: false, next: new Map() };
  for (const name of names) {
    let node = root;
    for (const character of name) {
      let next = node.next.get(character);
      if (!next) {
        next = { isName: false, next: new Map() };
        node.next.set(character, next);
      }
      node = next;
    }
    node.isName = true;
  }
  return root;
}

/** Whether JSON strings allow the character unescaped, DEL excepted. */
function isSafe(character: string): boolean {
  const code = character.codePointAt(0)!;
  return code >= 32 && code !== 34 && code !== 92 && code !== 127 && !(code >= 0xd800 && code <= 0xdfff);
}

function inClass(character: string): string {
  return /[\]\\^[-]/.test(character) ? `\\${character}` : character;
}
