import { expect, it } from 'vitest';
import { catalogueEntries, declaredCapabilities } from '#core/local-models/registry/catalogue/catalogue.ts';
import { canChat } from './capabilities.ts';

it('talks to models that write, and to those that do not tell', () => {
  expect(canChat({ capabilities: ['completion', 'vision'] })).toBe(true);
  expect(canChat({})).toBe(true);
});

it.each([['all-minilm:22m'], ['emoji-128:latest'], ['sd-turbo:latest']])('does not talk to %s', (name) => {
  expect(
    canChat({
      capabilities: [...declaredCapabilities(catalogueEntries.find((entry) => entry.name === name)!)],
    }),
  ).toBe(false);
});
