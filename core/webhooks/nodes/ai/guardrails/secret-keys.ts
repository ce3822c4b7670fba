/** Finds words that look like keys and passwords, by their beginning or by how random they are. */
import type { CheckResult } from './check.ts';

/** How much looks like a secret: `strict` misses least, `permissive` has the fewest false alarms. */
export type Permissiveness = 'strict' | 'balanced' | 'permissive';

interface Limits {
  /** Characters */
  length: number;
  /** Bits a character, as Shannon defines the entropy. */
  entropy: number;
  /** Kinds of characters: small and capital letters, digits, others. */
  kinds: number;
  /** Whether addresses and names of files can be secrets. */
  hasExceptions: boolean;
}

const LIMITS: Record<Permissiveness, Limits> = {
  strict: { length: 10, entropy: 3, kinds: 2, hasExceptions: false },
  balanced: { length: 10, entropy: 3.8, kinds: 3, hasExceptions: true },
  permissive: { length: 30, entropy: 4, kinds: 2, hasExceptions: true },
};

const PREFIXES = 'key- sk- sk_ pk_ pk- ghp_ AKIA xox SG. hf_ api- apikey- token- secret- SHA: Bearer'.split(
  ' ',
);

const FILE_NAME =
  /\.(?:py|jsx?|tsx?|vue|html|css|json|md|txt|csv|xml|ya?ml|ini|conf(?:ig)?|log|sql|sh|bat|dll|so|dylib|jar|war|php|rb|go|rs|c|h|cpp|cs|fs|vb|docx?|xlsx?|pptx?|pdf|jpe?g|png)$/i;

/** Checks each word of a text. */
export function findSecretKeys(text: string, permissiveness: Permissiveness): CheckResult {
  const limits = LIMITS[permissiveness] ?? LIMITS.balanced;
  const words = text.split(/\s+/).map((word) => word.replace(/[*#]/g, ''));
  const detectedSecrets = words.filter((word) => isSecret(word, limits));
  return {
    name: 'secretKeys',
    triggered: detectedSecrets.length > 0,
    info: { detectedSecrets },
    hidden: { SECRET: detectedSecrets },
  };
}

function isSecret(word: string, { length, entropy, kinds, hasExceptions }: Limits): boolean {
  if (hasExceptions && isException(word)) return false;
  if (PREFIXES.some((prefix) => word.startsWith(prefix) && word.length > prefix.length)) return true;
  return word.length >= length && kindsOf(word) >= kinds && entropyOf(word) >= entropy;
}

function isException(word: string): boolean {
  if (/^https?:\/\/[a-z0-9.-]+(?:\/[a-z0-9./_-]*)?$/i.test(word))
    return !PREFIXES.some((prefix) => word.includes(prefix));
  return FILE_NAME.test(word);
}

const KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /\W/];
const kindsOf = (word: string) => KINDS.filter((kind) => kind.test(word)).length;

function entropyOf(word: string): number {
  const counts = new Map<string, number>();
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length);
  return bits;
}
