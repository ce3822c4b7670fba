import { expect, it, vi } from 'vitest';
import { readStoredSettings } from './stored-settings.ts';

const stored = (text: string | null) => readStoredSettings({ getItem: () => text });

it('reads stored settings and ignores invalid ones', () => {
  expect(stored('{"OLLAMA_KEEP_ALIVE":"30m","OLLAMA_MAX_QUEUE":5,"X":null}')).toEqual({
    OLLAMA_KEEP_ALIVE: '30m',
    OLLAMA_MAX_QUEUE: '5',
  });
  expect(stored(null)).toEqual({});
  expect(stored('7')).toEqual({});
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  expect(stored('{')).toEqual({});
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
});
