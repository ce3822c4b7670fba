import { expect, it } from 'vitest';
import { bestSuggestion, suggestionFacts } from './suggestion-facts.ts';

const device = { cores: 2, isolated: true, noGpu: 'no-webgpu' as const };
const resources = { device, storage: {}, freeBytes: 5e9 };
const suggestion = (model: string, size: number, capabilities?: string[]) => ({
  model,
  description: '',
  size,
  ...(capabilities && { capabilities }),
});

it('names the largest model that fits as the best one', () => {
  const all = [
    suggestion('small', 1e8),
    suggestion('middle', 1.1e9),
    suggestion('slow', 3e9),
    suggestion('huge', 6e9),
    suggestion('embeds', 1.15e9, ['embedding']),
  ].map((offered) => suggestionFacts(offered, resources, undefined));
  expect(all.map(({ fit }) => fit?.verdict)).toEqual(['good', 'good', 'slow', 'no', undefined]);
  expect(bestSuggestion(all)?.suggestion.model).toBe('middle');
  expect(all[0]!.fit!.limit).toBe(4 * 2 ** 30);
});

it('rates nothing without facts about the device', () => {
  const facts = suggestionFacts(suggestion('small', 1e8), undefined, undefined);
  expect([facts.fit, facts.sizeText, bestSuggestion([facts])]).toEqual([undefined, '100 MB', undefined]);
});
