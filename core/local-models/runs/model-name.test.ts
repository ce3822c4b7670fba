import { describe, expect, test } from 'vitest';
import { fakeRegistry } from '#test/support/local-models/fake-registry.ts';
import { localName, requireInstalled, requireModel } from './model-name.ts';

describe('names of models', () => {
  test('requireModel refuses only an empty name', () => {
    expect(() => requireModel('')).toThrow(
      expect.objectContaining({ status: 400, message: 'model is required' }),
    );
    expect(() => requireModel(' ')).not.toThrow();
  });

  test.each([
    [' m ', 'm'],
    ['m:local', 'm'],
    ['m:7b:LOCAL', 'm:7b'],
    ['m:7b', 'm:7b'],
  ])('localName(%j) is %j', (spelled, name) => {
    expect(localName(spelled)).toBe(name);
  });

  test.each(['m:cloud', 'm:7b-cloud', 'u/m:7b:cloud'])('localName refuses the cloud model %s', (spelled) => {
    const unavailable = (message: string) => expect.objectContaining({ status: 403, message });
    expect(() => localName(spelled)).toThrow(
      unavailable('ollama cloud is disabled: remote model is unavailable'),
    );
    expect(() => localName(spelled, 'details are unavailable')).toThrow(
      unavailable('ollama cloud is disabled: details are unavailable'),
    );
  });

  test('requireInstalled finds a model, or repeats the name as the client spelled it', async () => {
    const registry = fakeRegistry([{ name: 'm' }]);
    expect((await requireInstalled(registry, ' M:local')).name.model).toBe('m');
    await expect(requireInstalled(registry, ' Other:local')).rejects.toMatchObject({
      status: 404,
      message: "model ' Other:local' not found",
    });
    await expect(requireInstalled(registry, 'bad name!')).rejects.toMatchObject({ status: 400 });
    await expect(requireInstalled(registry, 'm:cloud')).rejects.toMatchObject({ status: 403 });
  });
});
