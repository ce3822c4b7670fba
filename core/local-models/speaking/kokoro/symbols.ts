/** Symbols of other models for those of `symbolsOfSentence`. */
const OTHERS: Readonly<Record<string, string>> = {
  A: 'eɪ',
  I: 'aɪ',
  O: 'oʊ',
  Q: 'əʊ',
  W: 'aʊ',
  Y: 'ɔɪ',
  T: 't',
  ʤ: 'dʒ',
  ʧ: 'tʃ',
  ᵊ: 'ə',
  ɒ: 'ɑ',
  a: 'æ',
  ɡ: 'g',
  ɹ: 'r',
};

/** The tokens of symbols. A symbol that the model lacks is written in others, or left out. */
export function tokensOf(symbols: string, vocabulary: ReadonlyMap<string, number>): number[] {
  const find = (symbol: string): number[] => {
    const token = vocabulary.get(symbol);
    return token === undefined ? [] : [token];
  };
  return [...symbols].flatMap((symbol) => {
    const tokens = find(symbol);
    return tokens.length > 0 ? tokens : [...(OTHERS[symbol] ?? '')].flatMap(find);
  });
}
