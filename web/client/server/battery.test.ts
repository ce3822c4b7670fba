import { afterEach, expect, it, vi } from 'vitest';
import { followBattery } from './battery.ts';

afterEach(() => void vi.unstubAllGlobals());

it('reports the battery now and after each change', async () => {
  const battery = Object.assign(new EventTarget(), { level: 0.5, charging: false });
  vi.stubGlobal('navigator', { getBattery: async () => battery });
  const seen: object[] = [];
  await followBattery((state) => void seen.push(state));
  battery.charging = true;
  battery.dispatchEvent(new Event('chargingchange'));
  battery.level = 0.6;
  battery.dispatchEvent(new Event('levelchange'));
  expect(seen).toEqual([
    { level: 0.5, charging: false },
    { level: 0.5, charging: true },
    { level: 0.6, charging: true },
  ]);
});

it.each([
  ['no such API', {}],
  ['a refusal', { getBattery: () => Promise.reject(new DOMException('no', 'NotAllowedError')) }],
])('reports nothing with %s', async (_what, navigator) => {
  vi.stubGlobal('navigator', navigator);
  const onChange = vi.fn();
  await followBattery(onChange);
  expect(onChange).not.toHaveBeenCalled();
});
