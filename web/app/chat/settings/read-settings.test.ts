import { expect, it } from 'vitest';
import { readSettings } from './read-settings.ts';

it('sets nothing for empty fields', () => {
  expect(readSettings({ system: ' ', temperature: '', think: '', format: 'text', tools: '' })).toEqual({
    settings: {},
    errors: {},
  });
});

it('reads every field', () => {
  const fields = {
    system: 'Be brief.',
    temperature: '0',
    top_p: '0.9',
    num_ctx: '2048',
    num_predict: '-1',
    seed: '7',
    think: 'off',
    format: 'schema',
    schema: '{"type":"object"}',
    tools: '[{"type":"function"}]',
    documents: 'passages',
  };
  expect(readSettings(fields)).toEqual({
    settings: {
      system: 'Be brief.',
      temperature: 0,
      top_p: 0.9,
      num_ctx: 2048,
      num_predict: -1,
      seed: 7,
      think: false,
      format: { type: 'object' },
      tools: [{ type: 'function' }],
      documents: 'passages',
    },
    errors: {},
  });
  expect(readSettings({ think: 'low', format: 'json' }).settings).toEqual({ think: 'low', format: 'json' });
});

it.each([
  [{ temperature: '3' }, 'temperature'],
  [{ temperature: 'warm' }, 'temperature'],
  [{ num_ctx: '0' }, 'num_ctx'],
  [{ seed: '1.5' }, 'seed'],
  [{ format: 'schema', schema: '[]' }, 'schema'],
  [{ format: 'schema', schema: '{' }, 'schema'],
  [{ tools: '{}' }, 'tools'],
])('reports the invalid field of %j and sets nothing', (fields, wrong) => {
  const { settings, errors } = readSettings(fields as unknown as Record<string, string>);
  expect(Object.keys(errors)).toEqual([wrong]);
  expect(settings).toEqual({});
});
