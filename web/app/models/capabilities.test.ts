import { expect, it } from 'vitest';
import { catalogueEntries, declaredCapabilities } from '#core/local-models/registry/catalogue/catalogue.ts';
import { canChat } from './capabilities.ts';

it('accepts models that complete text, and those without stated capabilities', () => {
  expect(canChat({ capabilities: ['completion', 'vision'] })).toBe(true);
  expect(canChat({})).toBe(true);
});

it.each([['all-minilm:22m'], ['emoji-128:latest'], ['sd-turbo:latest']])('rejects %s', (name) => {
  expect(
    canChat({
      capabilities: [...declaredCapabilities(catalogueEntries.find((entry) => entry.name === name)!)],
    }),
  ).toBe(false);
});
