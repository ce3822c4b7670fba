import { expect, it } from 'vitest';
import { catalogueEntries } from '#core/local-models/registry/catalogue/catalogue.ts';
import table from './suggested.json' with { type: 'json' };
import { suggestedSettings } from './suggested-settings.ts';

it('has settings for each image model of the catalogue, with any tag', () => {
  const models = catalogueEntries.filter(({ format }) => format === 'diffusers');
  const names = new Set(models.map(({ name }) => name.split(':')[0]!));
  expect(table.map(({ model }) => model).sort()).toEqual([...names].sort());
  for (const { name, description } of models) {
    const { width, height } = suggestedSettings(name)!;
    expect(description).toContain(`${width} x ${height}`);
  }
  expect(suggestedSettings('sdxl-lightning:4step')).toMatchObject({ steps: 4, scheduler: 'sgm_uniform' });
  expect(suggestedSettings('emoji-128')).toMatchObject({ guidance: 1 });
  expect(suggestedSettings('emoji-micro')).toBeUndefined();
});
