import { describe, expect, it } from 'vitest';
import { countSetting, durationSetting, flagSetting, listSetting, textSetting } from './read-setting.ts';

const host = (value?: string) => ({ setting: () => value });

describe('settings', () => {
  it.each([
    [undefined, ''],
    ['', ''],
    [' a ', 'a'],
    ['"a b"', 'a b'],
    ["'a'", 'a'],
    [' " a " ', 'a'],
    ['a"b', 'a"b'],
  ])('text %j is %j', (value, text) => expect(textSetting(host(value), 'X')).toBe(text));

  it.each([
    [undefined, false],
    ['', false],
    ['0', false],
    ['false', false],
    ['F', false],
    ['"FALSE"', false],
    ['1', true],
    ['true', true],
    ['T', true],
    ['random', true],
    ['fAlSe', true],
  ])('flag %j is %j', (value, flag) => expect(flagSetting(host(value), 'X')).toBe(flag));

  it.each([
    ['3', 3],
    ['"3"', 3],
    ['0', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['many', undefined],
    [undefined, undefined],
  ])('count %j is %j', (value, count) => expect(countSetting(host(value), 'X')).toBe(count));

  it.each([
    ['5m', 300_000],
    ['90', 90_000],
    ['-1', -1000],
    ['0', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('duration %j is %j ms', (value, time) => expect(durationSetting(host(value), 'X')).toBe(time));

  it('lists are split at commas, without empty parts', () => {
    expect(listSetting(host(' https://a , "https://b",, '), 'X')).toEqual(['https://a', 'https://b']);
    expect(listSetting(host(undefined), 'X')).toEqual([]);
  });
});
