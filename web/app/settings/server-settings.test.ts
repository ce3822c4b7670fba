import { expect, it } from 'vitest';
import { otherSettingsText, readSettingsForm, SETTING_GROUPS } from './server-settings.ts';
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

it('reads a size with its unit, and shows a stored one with the largest that fits', () => {
  const { settings } = readSettingsForm({ TABD_CONSENT_ABOVE: '1.5 GB' });
  expect(settings.TABD_CONSENT_ABOVE).toBe('1500000000');
  expect(readSettingsForm({ TABD_CONSENT_ABOVE: '268435456' }).settings.TABD_CONSENT_ABOVE).toBe('268435456');
  expect(readSettingsForm({ TABD_CONSENT_ABOVE: 'much' }).errors.TABD_CONSENT_ABOVE).toContain('500 MB');
  const field = SETTING_GROUPS.flatMap(({ fields }) => fields).find(
    ({ name }) => name === 'TABD_CONSENT_ABOVE',
  )!;
  expect(field.show!('268435456')).toBe('256 MiB');
  expect(field.show!('1500000000')).toBe('1500 MB');
  expect(field.show!('7')).toBe('7');
});
