import type { Battery } from '#core/frames';

interface BatteryManager extends EventTarget, Battery {}

type BatteryNavigator = { getBattery?(): Promise<BatteryManager> };

/** Calls `onChange` with the state of the battery, now and after each change. Never where the browser has no such API. */
export async function followBattery(onChange: (battery: Battery) => void): Promise<void> {
  const battery = await (navigator as BatteryNavigator).getBattery?.().catch(() => undefined);
  if (!battery) return;
  const report = () => onChange({ level: battery.level, charging: battery.charging });
  battery.addEventListener('levelchange', report);
  battery.addEventListener('chargingchange', report);
  report();
}
