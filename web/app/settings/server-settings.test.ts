import { expect, it } from 'vitest';
import { otherSettingsText, readSettingsForm } from './server-settings.ts';
import { readStoredSettings, storeSettings } from './stored-settings.ts';

it('reads fields and NAME=value lines, and skips empty ones', () => {
  const form = {
    OLLAMA_KEEP_ALIVE: ' 1h30m ',
    OLLAMA_CONTEXT_LENGTH: '8192',
    OLLAMA_MAX_QUEUE: '',
    WEBHOOK_URL: 'https://hooks.example.com/',
    OLLAMA_ORIGINS: 'https://a.example, http://b.example:3000',
    GENERIC_TIMEZONE: 'Europe/Berlin',
    other: 'OLLAMA_DEBUG=1\n\nN8N_PAYLOAD_SIZE_MAX = 32\n',
  };
  const { settings, errors } = readSettingsForm(form);
  expect(errors).toEqual({});
  expect(settings).toEqual({
    OLLAMA_KEEP_ALIVE: '1h30m',
    OLLAMA_CONTEXT_LENGTH: '8192',
    WEBHOOK_URL: 'https://hooks.example.com/',
    OLLAMA_ORIGINS: 'https://a.example, http://b.example:3000',
    GENERIC_TIMEZONE: 'Europe/Berlin',
    OLLAMA_DEBUG: '1',
    N8N_PAYLOAD_SIZE_MAX: '32',
  });
  expect(otherSettingsText(settings)).toBe('OLLAMA_DEBUG=1\nN8N_PAYLOAD_SIZE_MAX=32');
});

it.each([
  ['OLLAMA_KEEP_ALIVE', 'soon'],
  ['OLLAMA_CONTEXT_LENGTH', '4k'],
  ['WEBHOOK_URL', 'hooks.example.com'],
  ['OLLAMA_ORIGINS', 'https://a.example/path'],
  ['GENERIC_TIMEZONE', 'Nowhere/City'],
  ['other', 'no line'],
])('rejects for %s the value %s', (name, value) => {
  expect(Object.keys(readSettingsForm({ [name]: value }).errors)).toEqual([name]);
});

it('stores settings, and removes the entry when there are none', () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  storeSettings(storage, { OLLAMA_DEBUG: '1' });
  expect(readStoredSettings(storage)).toEqual({ OLLAMA_DEBUG: '1' });
  storeSettings(storage, {});
  expect(stored.size).toBe(0);
});
